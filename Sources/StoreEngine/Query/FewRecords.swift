/// The few records that a request by equality asks for, in order. Support for fetching; nothing to use directly.
@safe
@usableFromInline
struct FewRecords: ~Copyable, ~Escapable {
    private let scope: ReadingScope
    private let binding: TypedBinding
    private let keys: RecordKeyList
    private var lookup: RecordLookup
    /// The place behind the one of the record that was come to last.
    private var next: Int

    /// How many records there are.
    @usableFromInline let count: Int

    /// - Parameter offset: how many of the first to leave out.
    @_lifetime(copy scope)
    fileprivate init(_ scope: ReadingScope, _ binding: TypedBinding, _ keys: consuming RecordKeyList, offset: Int) {
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

extension ReadingScope {
    /// The records that a request asks for where they are few, and come in order by one walk; else nil.
    ///
    /// - Parameter lookup: the walk.
    @usableFromInline
    @_lifetime(copy self)
    func fewRecords<R: Record>(
        _ request: FetchRequest<R>, _ lookup: EqualityLookup, _ binding: TypedBinding
    ) throws(StoreError) -> FewRecords? {
        guard lookup.isOrdered else { return nil }
        try note(request.request, typeIndex: binding.typeIndex)
        guard let keys = try lookup.keys(request.request, of: binding.type, self) else { return nil }
        return FewRecords(self, binding, keys, offset: request.request.offset)
    }
}
