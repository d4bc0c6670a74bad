/// Matches the elements of an array after a write with the elements before it. The write itself does not say which are the same.
package enum ElementMatch {
    /// Returns for each new element the position of the old element that it was; nil for an element that is new. No old position
    /// occurs twice.
    ///
    /// Equal elements match first, whether or not they moved. A remaining element that has the same neighbor as a remaining old
    /// element is that element, changed in place. A write can therefore change, insert, remove and move elements at once. Besides
    /// inserted elements, only an element that the write both changed and moved counts as new. The time is linear in the sizes of
    /// both arrays.
    package static func indexes(of new: [[UInt8]], among old: [[UInt8]]) -> [Int?] {
        var match = Match(newCount: new.count, oldCount: old.count)
        var start = 0
        while start < min(new.count, old.count), new[start] == old[start] {
            match.take(start, start)
            start += 1
        }
        var (newEnd, oldEnd) = (new.count, old.count)
        while newEnd > start, oldEnd > start, new[newEnd - 1] == old[oldEnd - 1] {
            newEnd -= 1
            oldEnd -= 1
            match.take(newEnd, oldEnd)
        }
        var rest: [[UInt8]: [Int]] = [:]
        for index in (start..<oldEnd).reversed() { rest[old[index], default: []].append(index) }
        for index in start..<newEnd {
            if let equal = rest[new[index]]?.popLast() { match.take(index, equal) }
        }
        for index in start..<newEnd where match.indexes[index] == nil {
            match.takeIfFree(index, index == 0 ? 0 : match.indexes[index - 1].map { $0 + 1 })
        }
        for index in (start..<newEnd).reversed() where match.indexes[index] == nil {
            match.takeIfFree(index, index == new.count - 1 ? old.count - 1 : match.indexes[index + 1].map { $0 - 1 })
        }
        return match.indexes
    }

    private struct Match {
        private(set) var indexes: [Int?]
        private var isTaken: [Bool]

        init(newCount: Int, oldCount: Int) {
            indexes = Array(repeating: nil, count: newCount)
            isTaken = Array(repeating: false, count: oldCount)
        }

        mutating func take(_ new: Int, _ old: Int) {
            indexes[new] = old
            isTaken[old] = true
        }

        mutating func takeIfFree(_ new: Int, _ old: Int?) {
            guard let old, isTaken.indices.contains(old), !isTaken[old] else { return }
            take(new, old)
        }
    }
}
