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
/// record's checksum, ``record()`` checks it. What stands behind references is looked up when it is asked for:
///
/// ```swift
/// try tx.forEach(Sensor.where { $0.room.floor > 2 }.lazily()) { row in
///     let floor = try row.value { $0.room.floor }
///     try row.following({ $0.room }) { room in print(try room.name, floor) }
///     return true
/// }
/// ```
@safe
@dynamicMemberLookup
public struct LazyRow<R: Record>: ~Escapable {
    private let scope: ReadContext
    private let binding: TypedBinding
    private let key: RawSpan
    private let bytes: RawSpan
    private let decoder: FieldDecoder
    private let paths: LazyPaths

    @_lifetime(copy cursor)
    init(
        _ cursor: borrowing FetchCursor, _ scope: ReadContext, _ binding: TypedBinding, _ paths: LazyPaths
    ) throws(StoreError) {
        self.paths = paths
        self.scope = unsafe _overrideLifetime(scope, copying: cursor)
        self.binding = binding
        key = unsafe _overrideLifetime(cursor.recordKey, copying: cursor)
        bytes = unsafe _overrideLifetime(cursor.record, copying: cursor)
        decoder = unsafe _overrideLifetime(try cursor.decoder(binding, verifying: false), copying: cursor)
    }

    /// - Parameters:
    ///   - bytes: the record, in the form of the newest version.
    ///   - key: its key.
    @_lifetime(copy bytes)
    fileprivate init(
        _ bytes: RawSpan, key: RawSpan, _ scope: ReadContext, _ binding: TypedBinding
    ) throws(StoreError) {
        paths = LazyPaths()
        self.scope = unsafe _overrideLifetime(scope, copying: bytes)
        self.binding = binding
        self.key = unsafe _overrideLifetime(key, copying: bytes)
        self.bytes = bytes
        decoder = try scope.decoder(bytes, key: key, binding, verifying: false)
    }

    /// One field, decoded alone, in constant time.
    ///
    /// Throws ``StoreError`` with the code `damaged` where the bytes are no such value.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        get throws(StoreError) { try value(of: R.fields[keyPath: field]) }
    }

    /// One field, which may be one of an embedded struct, `row.value { $0.place.city }`, or one of a record that this one refers
    /// to, `row.value { $0.room.floor }`: nil where there is no such record.
    ///
    /// - Parameter field: gets the tokens of the record's fields.
    /// - Throws: ``StoreError``: `referenceBroken` for what is never nil of a record that is not there; `damaged`.
    /// - Complexity: constant, and a look-up for each reference on the way.
    public func value<V>(_ field: (R.Fields) -> Field<R, V>) throws(StoreError) -> V {
        try value(of: field(R.fields))
    }

    /// Calls `body` with the record that a field refers to, which is read field by field as this one is.
    ///
    /// - Parameter field: gets the tokens of the record's fields.
    /// - Returns: what `body` returns; nil where there is no such record.
    /// - Throws: ``StoreError`` with the code `damaged`; what `body` throws.
    @discardableResult
    public func following<Target: Record, Output>(
        _ field: (R.Fields) -> Field<R, Reference<Target>>, _ body: (borrowing LazyRow<Target>) throws -> Output
    ) throws -> Output? {
        try follow(value(of: field(R.fields)), body)
    }

    /// The same for a reference that may be nil.
    @discardableResult
    public func following<Target: Record, Output>(
        _ field: (R.Fields) -> Field<R, Reference<Target>?>, _ body: (borrowing LazyRow<Target>) throws -> Output
    ) throws -> Output? {
        guard let reference = try value(of: field(R.fields)) else { return nil }
        return try follow(reference, body)
    }

    private func follow<Target: Record, Output>(
        _ reference: Reference<Target>, _ body: (borrowing LazyRow<Target>) throws -> Output
    ) throws -> Output? {
        let binding = try scope.binding(Target.self)
        scope.note(binding.type.type)
        var key = ByteWriter(capacity: 64)
        reference.encodeKey(to: &key)
        guard let found = try scope.record(idKey: &key, of: binding.type) else { return nil }
        do {
            let stored = try RecordBytes(unverified: found)
            guard let upgrade = try binding.type.upgrade(fromVersion: stored.schemaVersion) else {
                return try body(LazyRow<Target>(found, key: key.bytes, scope, binding))
            }
            let newest = try upgrade.apply(to: stored)
            return unsafe try body(LazyRow<Target>(newest.span.bytes, key: key.bytes, scope, binding))
        } catch let error as CodecError {
            throw scope.damage(binding.type, key: key.bytes, error)
        }
    }

    /// The whole record.
    public func record() throws(StoreError) -> R { try scope.decoded(bytes, key: key, binding) }

    private func value<V>(of field: Field<R, V>) throws(StoreError) -> V {
        if let followed = field.followed { return try value(of: field, followed) }
        do {
            if let bytes = try decoder.bytes(ofDeclared: field.index) { return try field.decode(bytes) }
        } catch {
            throw scope.damage(binding.type, key: key, error)
        }
        // A version before the field: what stands in for it is known to the record's own initializer.
        return field.value(in: try record())
    }

    /// What a field of another record holds.
    private func value<V>(of field: Field<R, V>, _ followed: FollowedField) throws(StoreError) -> V {
        do {
            let path = try paths.path(followed, binding, scope)
            let values = try path.values(RecordBytes(unverified: bytes).table, scope, of: binding.type)
            var next = 0
            return try field.value(values, &next)
        } catch {
            throw StoreError(reading: error, at: "a record that one of \(binding.type.name) refers to")
        }
    }
}

/// The ways through references that were asked for while a request is walked, so that each is made ready once.
final class LazyPaths {
    private var paths: [FieldName: FollowedPaths] = [:]

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a path goes through too many references.
    fileprivate func path(
        _ field: FollowedField, _ binding: TypedBinding, _ scope: ReadContext
    ) throws(StoreError) -> FollowedPaths {
        if let path = paths[field.name] { return path }
        var read = Request()
        read.fields = [field.name]
        try scope.note(read, typeIndex: binding.typeIndex)
        let path = try FollowedPaths([field], binding.type, in: scope.state.catalog)
        paths[field.name] = path
        return path
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
        let paths = LazyPaths()
        while try cursor.advance() {
            if try !body(LazyRow(cursor, scope, binding, paths)) { return }
        }
    }
}
