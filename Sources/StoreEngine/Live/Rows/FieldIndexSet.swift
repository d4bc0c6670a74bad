/// A set of a record type's fields, by their indexes among the newest fields.
package struct FieldIndexSet: Hashable, Sendable {
    /// One bit for each of the indexes 0 to 63. Most types have no more fields.
    private var low: UInt64 = 0
    /// One bit for each of the indexes from 64 on. The last word is never zero.
    private var high: [UInt64] = []
    private var isAll = false

    /// Creates an empty set.
    package init() {}

    /// Creates a set of fields.
    package init(_ fieldIndexes: some Sequence<Int>) {
        for fieldIndex in fieldIndexes { insert(fieldIndex) }
    }

    /// The set of all fields, however many there are.
    package static let all = FieldIndexSet(isAll: true)

    private init(isAll: Bool) { self.isAll = isAll }

    /// Whether the set is empty.
    package var isEmpty: Bool { low == 0 && high.isEmpty && !isAll }

    /// Adds the field with an index.
    package mutating func insert(_ fieldIndex: Int) {
        if isAll { return }
        guard fieldIndex >= 64 else {
            low |= 1 << fieldIndex
            return
        }
        let word = fieldIndex / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << (fieldIndex % 64)
    }

    /// Adds all fields of another set.
    package mutating func formUnion(_ other: FieldIndexSet) {
        if isAll { return }
        if other.isAll {
            self = .all
            return
        }
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (word, bits) in other.high.enumerated() { high[word] |= bits }
    }

    /// Whether the set contains the field with an index.
    package func contains(_ fieldIndex: Int) -> Bool {
        if isAll { return true }
        if fieldIndex < 64 { return low & 1 << fieldIndex != 0 }
        let word = fieldIndex / 64 - 1
        return word < high.count && high[word] & 1 << (fieldIndex % 64) != 0
    }

    /// Whether the sets have a field in common.
    package func intersects(_ other: FieldIndexSet) -> Bool {
        if isAll { return !other.isEmpty }
        if other.isAll { return !isEmpty }
        if low & other.low != 0 { return true }
        return zip(high, other.high).contains { $0 & $1 != 0 }
    }

    /// The indexes, ascending; nil for ``all``, which has no last index.
    package var indexes: [Int]? {
        if isAll { return nil }
        var indexes: [Int] = []
        for (number, word) in ([low] + high).enumerated() {
            var rest = word
            while rest != 0 {
                indexes.append(number * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return indexes
    }
}
