/// Which element of an array was which before a write that does not tell.
package enum ElementMatch {
    /// For each new element the place of the old one that it was, nil for one that came up. No old one is there twice.
    ///
    /// An element is one that equals it, whether it moved or not. What is left was changed in place where it stands next to
    /// the same neighbor as before: so elements may be changed, inserted, removed and moved at once, and only one that was
    /// both changed and moved is taken for a new one. Linear in both.
    package static func places(of new: [[UInt8]], among old: [[UInt8]]) -> [Int?] {
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
        for place in (start..<oldEnd).reversed() { rest[old[place], default: []].append(place) }
        for place in start..<newEnd {
            if let equal = rest[new[place]]?.popLast() { match.take(place, equal) }
        }
        for place in start..<newEnd where match.places[place] == nil {
            match.takeIfFree(place, place == 0 ? 0 : match.places[place - 1].map { $0 + 1 })
        }
        for place in (start..<newEnd).reversed() where match.places[place] == nil {
            match.takeIfFree(place, place == new.count - 1 ? old.count - 1 : match.places[place + 1].map { $0 - 1 })
        }
        return match.places
    }

    private struct Match {
        private(set) var places: [Int?]
        private var isTaken: [Bool]

        init(newCount: Int, oldCount: Int) {
            places = Array(repeating: nil, count: newCount)
            isTaken = Array(repeating: false, count: oldCount)
        }

        mutating func take(_ new: Int, _ old: Int) {
            places[new] = old
            isTaken[old] = true
        }

        mutating func takeIfFree(_ new: Int, _ old: Int?) {
            guard let old, isTaken.indices.contains(old), !isTaken[old] else { return }
            take(new, old)
        }
    }
}
