/// A fetch request of which the records are decoded field by field. ``FetchRequest/lazily()`` makes one.
public struct LazyRequest<R: Record>: Hashable, Sendable {
    let request: FetchRequest<R>
}

extension FetchRequest {
    /// The same records, of which a field is decoded when it is asked for, for
    /// ``ReadableTransaction/forEach(_:_:)-(LazyRequest<R>,_)``.
    public func lazily() -> LazyRequest<R> { LazyRequest(request: self) }
}

/// A record in the store's map, of which fields are decoded one by one.
///
/// ```swift
/// try store.read { tx in
///     try tx.forEach(FetchRequest(Sensor.self).lazily()) { row in
///         if try row.celsius > 30 { print(try row.record()) }
///         return true
///     }
/// }
/// ```
///
/// It cannot leave the closure that it was handed to: the compiler sees to that. Fields are read without a look at the
/// record's checksum, ``record()`` checks it.
@safe
@dynamicMemberLookup
public struct LazyRow<R: Record>: ~Escapable {
    private let scope: ReadingScope
    private let binding: TypedBinding
    private let key: RawSpan
    private let bytes: RawSpan
    private let decoder: FieldDecoder

    @_lifetime(copy cursor)
    init(_ cursor: borrowing FetchCursor, _ scope: ReadingScope, _ binding: TypedBinding) throws(StoreError) {
        self.scope = unsafe _overrideLifetime(scope, copying: cursor)
        self.binding = binding
        key = unsafe _overrideLifetime(cursor.recordKey, copying: cursor)
        bytes = unsafe _overrideLifetime(cursor.record, copying: cursor)
        decoder = unsafe _overrideLifetime(try cursor.decoder(binding, verifying: false), copying: cursor)
    }

    /// One field, decoded alone, in constant time.
    ///
    /// Throws ``StoreError`` with the code `damaged` where the bytes are no such value.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        get throws(StoreError) { try value(of: R.fields[keyPath: field].ofRecord()) }
    }

    /// One field, which may be one of an embedded struct: `row.value { $0.place.city }`.
    ///
    /// - Parameter field: gets the tokens of the record's fields.
    public func value<V>(_ field: (R.Fields) -> Field<R, V>) throws(StoreError) -> V {
        try value(of: field(R.fields).ofRecord())
    }

    /// The whole record.
    public func record() throws(StoreError) -> R {
        do {
            return try R(from: scope.decoder(binding, record: bytes, verifying: true))
        } catch {
            throw scope.damage(binding.type, key: key, error)
        }
    }

    private func value<V>(of field: Field<R, V>) throws(StoreError) -> V {
        do {
            if let bytes = try decoder.bytes(ofDeclared: field.index) { return try field.decode(bytes) }
        } catch {
            throw scope.damage(binding.type, key: key, error)
        }
        // A version before the field: what stands in for it is known to the record's own initializer.
        return field.value(in: try record())
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Calls `body` with each record that a request asks for, until it returns false. Decodes nothing by itself.
    public borrowing func forEach<R: Record>(
        _ lazily: LazyRequest<R>, _ body: (borrowing LazyRow<R>) throws -> Bool
    ) throws {
        let scope = _reading
        let binding = try scope.binding(R.self)
        var cursor = try scope.fetchCursor(lazily.request, binding)
        while try cursor.advance() {
            if try !body(LazyRow(cursor, scope, binding)) { return }
        }
    }
}
