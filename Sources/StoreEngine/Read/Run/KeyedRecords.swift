/// Records by a list of their keys, in its order. Support for fetching; nothing to use directly.
@safe
@usableFromInline
struct KeyedRecords: ~Copyable, ~Escapable {
    private let scope: ReadContext
    private let binding: TypedBinding
    private let keys: RecordKeyList
    private var lookup: RecordLookup
    /// The place behind the one of the record that was come to last.
    private var next: Int

    /// How many records there are.
    @usableFromInline let count: Int

    /// - Parameter offset: how many of the first to leave out.
    @_lifetime(copy scope)
    fileprivate init(_ scope: ReadContext, _ binding: TypedBinding, _ keys: consuming RecordKeyList, offset: Int) {
        self.scope = scope
        self.binding = binding
        count = Swift.max(0, keys.count - offset)
        next = offset
        lookup = RecordLookup(scope)
        self.keys = keys
    }

    /// Goes to the next record; false at the end.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func advance() -> Bool {
        guard next < keys.count else { return false }
        next += 1
        return true
    }

    /// Whether the record that it is at is there, and has the very id, of which a key may have the beginning alone.
    ///
    /// - Parameter idKey: the whole key of the id.
    @usableFromInline
    mutating func isThere(idKey: [UInt8]) throws(StoreError) -> Bool {
        guard let record = try lookup.find(next - 1, of: keys, binding.type) else { return false }
        guard idKey.count > KeyLimit.recordKey else { return true }
        do {
            return try Referrers.idKey(of: record, binding.type) == idKey
        } catch {
            throw damage(error)
        }
    }

    /// The fields of the record that it is at.
    @usableFromInline
    @_lifetime(copy self)
    mutating func decoder() throws(StoreError) -> FieldDecoder {
        let record = try lookup.record(next - 1, of: keys, binding.type)
        do {
            return try scope.decoder(binding, record: record, verifying: true)
        } catch {
            throw damage(error)
        }
    }

    /// The error for the record that it is at.
    @usableFromInline
    func damage(_ error: CodecError) -> StoreError { scope.damage(binding.type, key: keys[next - 1], error) }

    /// The record that it is at.
    @inlinable
    mutating func decoded<R: Record>(_ type: R.Type = R.self) throws(StoreError) -> R {
        let decoder = try decoder()
        do {
            return try R(from: decoder)
        } catch {
            throw damage(error)
        }
    }
}

extension ReadContext {
    /// The records that a request asks for where they are few, and come in order by one walk; else nil.
    ///
    /// - Parameter lookup: the walk.
    @usableFromInline
    @_lifetime(copy self)
    func keyedRecords<R: Record>(
        _ request: FetchRequest<R>, _ lookup: EqualityLookup, _ binding: TypedBinding
    ) throws(StoreError) -> KeyedRecords? {
        guard lookup.isOrdered else { return nil }
        try note(request.request, typeIndex: binding.typeIndex)
        guard let keys = try lookup.keys(request.request, of: binding.type, self) else { return nil }
        return KeyedRecords(self, binding, keys, offset: request.request.offset)
    }

    /// The records under some keys.
    @usableFromInline
    @_lifetime(copy self)
    func keyedRecords(_ binding: TypedBinding, _ keys: consuming RecordKeyList) -> KeyedRecords {
        note(binding.type.type)
        return KeyedRecords(self, binding, keys, offset: 0)
    }
}
