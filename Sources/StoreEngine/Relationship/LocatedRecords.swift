import LMDB

/// The records of a ``ReferrerList``. The store finds them in the order of their keys and decodes them in the order in which they
/// were added.
///
/// This puts the decoded records in memory in the order in which the caller reads them. Row 10 of the benchmarks shows what this
/// saves. Support for fetching; nothing to use directly.
@usableFromInline
struct LocatedRecords: ~Copyable, ~Escapable {
    private var lookup: RecordLookup
    private var records: HeldValues
    /// The number of each record's key, for the records in the order in which they were added.
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

    /// Returns the stored record that was added as number `index`.
    @usableFromInline
    @_lifetime(copy self)
    borrowing func record(_ index: Int) -> RawSpan { records[index] }

    /// Returns the key of the record that was added as number `index`.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func key(_ index: Int) -> RawSpan { lookup.key(Int(numbers[index])) }
}

extension ReadContext {
    /// Returns the records of a list.
    @usableFromInline
    @_lifetime(copy self)
    func locatedRecords(
        _ binding: TypedBinding, _ list: borrowing ReferrerList
    ) throws(StoreError) -> LocatedRecords {
        note(binding.type.type)
        return try LocatedRecords(self, binding.type, list)
    }
}
