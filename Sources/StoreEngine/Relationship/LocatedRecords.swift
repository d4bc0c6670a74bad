import LMDB

/// The records of a ``ReferrerList``: found in the order of their keys, decoded in the order in which they were added.
///
/// What is decoded in that order lies in memory in that order, and is read in it by those who asked. Row 10 of the benchmarks
/// shows what this saves. Support for fetching; nothing to use directly.
@usableFromInline
struct LocatedRecords: ~Copyable, ~Escapable {
    private var lookup: RecordLookup
    private var records: HeldValues
    /// For each record, as it was added, the number of its key.
    private var numbers: [Int32]

    @_lifetime(copy scope)
    fileprivate init(_ scope: ReadContext, _ type: OpenType, _ list: borrowing ReferrerList) throws(StoreError) {
        numbers = Array(repeating: 0, count: list.count)
        records = unsafe _overrideLifetime(HeldValues(count: list.count, of: scope.snapshot), copying: scope)
        lookup = RecordLookup(scope, type, list.recordKeys())
        for number in 0..<list.count {
            let index = list.requestedIndex(number)
            records.hold(try lookup.record(number), as: index)
            numbers[index] = Int32(number)
        }
    }

    /// The stored record that was added as number `index`.
    @usableFromInline
    @_lifetime(copy self)
    borrowing func record(_ index: Int) -> RawSpan { records[index] }

    /// Its key.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func key(_ index: Int) -> RawSpan { lookup.key(Int(numbers[index])) }
}

extension ReadContext {
    /// The records of a list.
    @usableFromInline
    @_lifetime(copy self)
    func locatedRecords(
        _ binding: TypedBinding, _ list: borrowing ReferrerList
    ) throws(StoreError) -> LocatedRecords {
        note(binding.type.type)
        return try LocatedRecords(self, binding.type, list)
    }
}
