/// A run of keys: from `lower` on and before `upper`, or to the end where that is nil.
struct KeyRange: Hashable, Sendable {
    var lower: [UInt8]
    var upper: [UInt8]?
    /// Whether it was made of one value's key, so that all keys in it begin with just that.
    var isPoint = false

    static let all = KeyRange(lower: [], upper: nil)

    /// All keys that begin with `prefix`.
    static func prefixed(by prefix: [UInt8], isPoint: Bool = false) -> KeyRange {
        KeyRange(lower: prefix, upper: successor(of: prefix), isPoint: isPoint)
    }

    /// The first key after all that begin with `prefix`; nil when there is none.
    static func successor(of prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 < 0xFF }) else { return nil }
        var result = prefix
        if last < prefix.count - 1 { result.removeSubrange((last + 1)...) }
        result[last] += 1
        return result
    }

    /// The same range behind a prefix.
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

/// Runs of keys, in order and apart from each other.
struct KeyRanges: Hashable, Sendable {
    private(set) var ranges: [KeyRange]

    static let all = KeyRanges([.all])
    static let none = KeyRanges([])

    /// Orders the ranges and joins those that overlap.
    init(_ ranges: [KeyRange]) {
        if ranges.count == 1 {
            self.ranges = ranges[0].isEmpty ? [] : ranges
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

    /// Whether nothing is known of the keys.
    var isAll: Bool { ranges.count == 1 && ranges[0].lower.isEmpty && ranges[0].upper == nil }

    /// Whether each range is the key of one value.
    var arePoints: Bool { ranges.allSatisfy(\.isPoint) }

    func intersection(_ other: KeyRanges) -> KeyRanges {
        if isAll { return other }
        if other.isAll { return self }
        // Both are in order: of two ranges the one that ends first meets no later one.
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

    /// All keys that are in one of them.
    static func union(of all: [KeyRanges]) -> KeyRanges { KeyRanges(all.flatMap(\.ranges)) }

    /// These ranges behind a prefix.
    func prefixed(by prefix: [UInt8]) -> [KeyRange] { ranges.map { $0.behind(prefix) } }
}

extension [UInt8] {
    /// Whether these bytes come before others; a prefix comes before what it begins.
    fileprivate func precedes(_ other: [UInt8]) -> Bool { unsafe span.bytes.compared(to: other.span.bytes) < 0 }
}
