/// A range of keys: from `lower` up to but not including `upper`, or to the end where `upper` is nil.
struct KeyRange: Hashable, Sendable {
    var lower: [UInt8]
    var upper: [UInt8]?
    /// Whether the range was made from the key of one value, so that all keys in it begin with that key.
    var isPoint = false

    static let all = KeyRange(lower: [], upper: nil)

    /// Returns the range of all keys that begin with `prefix`.
    static func prefixed(by prefix: [UInt8], isPoint: Bool = false) -> KeyRange {
        KeyRange(lower: prefix, upper: successor(of: prefix), isPoint: isPoint)
    }

    /// Returns the first key after all keys that begin with `prefix`; nil when there is none.
    static func successor(of prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 < 0xFF }) else { return nil }
        var result = prefix
        if last < prefix.count - 1 { result.removeSubrange((last + 1)...) }
        result[last] += 1
        return result
    }

    /// Returns the same range with a prefix before its keys.
    func behind(_ prefix: [UInt8]) -> KeyRange {
        KeyRange(
            lower: prefix + lower, upper: upper.map { prefix + $0 } ?? KeyRange.successor(of: prefix), isPoint: isPoint)
    }

    var isEmpty: Bool {
        guard let upper else { return false }
        return !lower.precedes(upper)
    }

    func intersection(_ other: KeyRange) -> KeyRange {
        if isPoint, other.contains(self) { return self }
        if other.isPoint, contains(other) { return other }
        var result = self
        result.isPoint = false
        if lower.precedes(other.lower) { result.lower = other.lower }
        if let end = other.upper, upper.map({ end.precedes($0) }) ?? true { result.upper = end }
        return result
    }

    private func contains(_ other: KeyRange) -> Bool {
        if other.lower.precedes(lower) { return false }
        guard let upper else { return true }
        return other.upper.map { !upper.precedes($0) } ?? false
    }
}

/// Ranges of keys, ascending and without overlaps.
struct KeyRanges: Hashable, Sendable {
    private(set) var ranges: [KeyRange]

    static let all = KeyRanges([.all])
    static let none = KeyRanges([])

    /// Sorts the ranges and joins those that overlap.
    init(_ ranges: [KeyRange]) {
        if Self.areInOrder(ranges) {
            self.ranges = ranges
            return
        }
        let ordered = ranges.filter { !$0.isEmpty }.sorted { $0.lower.precedes($1.lower) }
        var joined: [KeyRange] = []
        for range in ordered {
            guard let last = joined.last else {
                joined.append(range)
                continue
            }
            if last == range { continue }
            guard let end = last.upper else { break }
            if range.lower.precedes(end) {
                joined[joined.count - 1].isPoint = false
                if let other = range.upper {
                    if end.precedes(other) { joined[joined.count - 1].upper = other }
                } else {
                    joined[joined.count - 1].upper = nil
                }
            } else {
                joined.append(range)
            }
        }
        self.ranges = joined
    }

    /// Whether no range is empty, and each begins where the one before ends, or later.
    private static func areInOrder(_ ranges: [KeyRange]) -> Bool {
        for place in ranges.indices {
            if ranges[place].isEmpty { return false }
            guard place > 0 else { continue }
            guard let end = ranges[place - 1].upper, !ranges[place].lower.precedes(end) else { return false }
        }
        return true
    }

    /// Whether the ranges cover all keys.
    var isAll: Bool { ranges.count == 1 && ranges[0].lower.isEmpty && ranges[0].upper == nil }

    /// Whether each range is the key of one value.
    var arePoints: Bool { ranges.allSatisfy(\.isPoint) }

    func intersection(_ other: KeyRanges) -> KeyRanges {
        if isAll { return other }
        if other.isAll { return self }
        // Both are in order: the range that ends first overlaps no later range of the other.
        var result: [KeyRange] = []
        var (own, others) = (ranges[...], other.ranges[...])
        while let left = own.first, let right = others.first {
            result.append(left.intersection(right))
            guard let end = left.upper else {
                others.removeFirst()
                continue
            }
            if let otherEnd = right.upper, otherEnd.precedes(end) {
                others.removeFirst()
            } else {
                own.removeFirst()
            }
        }
        return KeyRanges(result)
    }

    /// Returns the keys that are in at least one of the arguments.
    static func union(of all: [KeyRanges]) -> KeyRanges { KeyRanges(all.flatMap(\.ranges)) }

    /// Returns these ranges with a prefix before their keys.
    func prefixed(by prefix: [UInt8]) -> [KeyRange] { ranges.map { $0.behind(prefix) } }
}

extension [UInt8] {
    /// Whether these bytes sort before others. A prefix sorts before longer bytes.
    fileprivate func precedes(_ other: [UInt8]) -> Bool { unsafe span.bytes.compared(to: other.span.bytes) < 0 }
}
