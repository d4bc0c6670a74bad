/// Which element of an array was which before a write that does not tell.
package enum ElementMatch {
    /// For each new element the place of the old one that it was, nil for one that came up. No old one is there twice.
    ///
    /// An element is one that equals it, whether it moved or not. What is left was changed in place where it stands next to
    /// the same neighbor as before: so elements may be changed, inserted, removed and moved at once, and only one that was
    /// both changed and moved is taken for a new one. Linear in both.
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
