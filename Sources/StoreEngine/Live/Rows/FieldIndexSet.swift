/// Some of a record type's fields, by their places among the newest ones.
package struct FieldIndexSet: Hashable, Sendable {
    /// One bit for each of the places 0 to 63: most types have no more fields.
    private var low: UInt64 = 0
    /// The same for the places from 64 on; never with a zero at its end.
    private var high: [UInt64] = []
    private var isAll = false

    /// No field.
    package init() {}

    /// These fields.
    package init(_ fieldIndexes: some Sequence<Int>) {
        for fieldIndex in fieldIndexes { insert(fieldIndex) }
    }

    /// Every field, however many there are.
    package static let all = FieldIndexSet(isAll: true)

    private init(isAll: Bool) { self.isAll = isAll }

    /// Whether no field is in it.
    package var isEmpty: Bool { low == 0 && high.isEmpty && !isAll }

    /// Adds the field at a place.
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

    /// Whether the field at a place is in it.
    package func contains(_ fieldIndex: Int) -> Bool {
        if isAll { return true }
        if fieldIndex < 64 { return low & 1 << fieldIndex != 0 }
        let word = fieldIndex / 64 - 1
        return word < high.count && high[word] & 1 << (fieldIndex % 64) != 0
    }

    /// Whether both have a field in common.
    package func intersects(_ other: FieldIndexSet) -> Bool {
        if isAll { return !other.isEmpty }
        if other.isAll { return !isEmpty }
        if low & other.low != 0 { return true }
        return zip(high, other.high).contains { $0 & $1 != 0 }
    }

    /// The places, ascending; nil for ``all``, which knows no last one.
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
