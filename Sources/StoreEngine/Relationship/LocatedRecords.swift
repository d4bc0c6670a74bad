import LMDB

/// The records of a ``ReferrerList``: found in the order of their keys, decoded in the order in which they were added.
///
/// What is decoded in that order lies in memory in that order, and is read in it by those who asked. Row 10 of the benchmarks
/// shows what this saves. Support for fetching; nothing to use directly.
@usableFromInline
struct LocatedRecords: ~Copyable, ~Escapable {
    private let scope: ReadContext
    private let binding: TypedBinding
    private var records: HeldValues
    @usableFromInline let list: ReferrerList

    @_lifetime(copy scope)
    fileprivate init(_ scope: ReadContext, _ binding: TypedBinding, _ list: consuming ReferrerList) throws(StoreError) {
        self.scope = scope
        self.binding = binding
        records = unsafe _overrideLifetime(HeldValues(count: list.count, of: scope.snapshot), copying: scope)
        let keys = list.recordKeys()
        var lookup = RecordLookup(scope)
        for number in 0..<list.count {
            records.hold(try lookup.record(number, of: keys, binding.type), as: list.place(number))
        }
        self.list = list
    }

    /// The fields of the record that was added as number `place`.
    @usableFromInline
    @_lifetime(copy self)
    borrowing func decoder(_ place: Int) throws(StoreError) -> FieldDecoder {
        do {
            return try scope.decoder(binding, record: records[place], verifying: true)
        } catch {
            throw damage(place, error)
        }
    }

    /// The record that was added as number `place`.
    @inlinable
    borrowing func decoded<R: Record>(_ place: Int, as type: R.Type = R.self) throws(StoreError) -> R {
        let decoder = try decoder(place)
        do {
            return try R(from: decoder)
        } catch {
            throw damage(place, error)
        }
    }

    /// The error for the record that was added as number `place`.
    @usableFromInline
    borrowing func damage(_ place: Int, _ error: CodecError) -> StoreError {
        scope.damage(binding.type, key: list.key(ofPlace: place), error)
    }
}

extension ReadContext {
    /// The records of a list.
    @usableFromInline
    @_lifetime(copy self)
    func locatedRecords(
        _ binding: TypedBinding, _ list: consuming ReferrerList
    ) throws(StoreError) -> LocatedRecords {
        note(binding.type.type)
        return try LocatedRecords(self, binding, list)
    }
}
