/// A fetch request whose records are decoded field by field. Make one with ``FetchRequest/lazily()``.
public struct LazyRequest<R: Record>: Hashable, Sendable {
    let request: FetchRequest<R>
}

extension FetchRequest {
    /// Returns the same request, for ``ReadableTransaction/forEach(_:_:)-(LazyRequest<R>,_)``. Each field is decoded when the
    /// closure reads it.
    public func lazily() -> LazyRequest<R> { LazyRequest(request: self) }
}

/// A record in the store's memory map. Each field is decoded when it is read.
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
/// A row cannot leave the closure that receives it; the compiler enforces this. Reading a field does not check the record's
/// checksum; ``record()`` does. Fields of other records are looked up when you read them:
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

    /// Decodes one field on its own, in constant time.
    ///
    /// Throws ``StoreError``: `valueDoesNotFit` where the stored value is none of the field's Swift type; `damaged`.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        get throws(StoreError) { try value(of: R.fields[keyPath: field]) }
    }

    /// Decodes one field. It may also be:
    ///
    /// - a field of an embedded struct: `row.value { $0.place.city }`
    /// - a field of a record that this record refers to: `row.value { $0.room.floor }`. The value is nil where that record does
    ///   not exist.
    ///
    /// - Parameter field: a closure that receives the tokens of the record's fields.
    /// - Throws: ``StoreError``: `referenceBroken` where the other record does not exist and the field's type has no nil;
    ///   `valueDoesNotFit`, `damaged`.
    /// - Complexity: constant, plus one lookup for each reference on the path.
    public func value<V>(_ field: (R.Fields) -> Field<R, V>) throws(StoreError) -> V {
        try value(of: field(R.fields))
    }

    /// Calls `body` with the record that a field refers to. `body` reads it field by field, as it reads this row.
    ///
    /// - Parameters:
    ///   - field: a closure that receives the tokens of the record's fields.
    ///   - body: receives the other record.
    /// - Returns: the result of `body`; nil where the record does not exist.
    /// - Throws: ``StoreError`` with the code `damaged`; any error that `body` throws.
    @discardableResult
    public func following<Target: Record, Output>(
        _ field: (R.Fields) -> Field<R, Reference<Target>>, _ body: (borrowing LazyRow<Target>) throws -> Output
    ) throws -> Output? {
        try follow(value(of: field(R.fields)), body)
    }

    /// Calls `body` with the record that an optional reference refers to.
    ///
    /// - Parameters:
    ///   - field: a closure that receives the tokens of the record's fields.
    ///   - body: receives the other record.
    /// - Returns: the result of `body`; nil where the reference is nil or the record does not exist.
    /// - Throws: ``StoreError`` with the code `damaged`; any error that `body` throws.
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
            throw scope.unreadable(binding.type, key: key.bytes, error)
        }
    }

    /// Decodes the whole record and checks its checksum.
    public func record() throws(StoreError) -> R { try scope.decoded(bytes, key: key, binding) }

    private func value<V>(of field: Field<R, V>) throws(StoreError) -> V {
        if let followed = field.followed { return try value(of: field, followed) }
        do {
            if let bytes = try decoder.bytes(ofDeclared: field.index) { return try field.decode(bytes) }
        } catch {
            throw scope.unreadable(binding, key: key, field.inRecord(error))
        }
        // The record's version is older than the field. Only the record's own initializer knows the field's initial value.
        return field.value(in: try record())
    }

    /// Returns the value of a field of another record.
    private func value<V>(of field: Field<R, V>, _ followed: FollowedField) throws(StoreError) -> V {
        do {
            let path = try paths.path(followed, binding, scope)
            let values = try path.values(RecordBytes(unverified: bytes).table, scope, of: binding.type)
            var next = 0
            return try field.value(values, &next)
        } catch let error as CodecError {
            throw scope.unreadable(binding, key: key, error)
        } catch {
            throw StoreError(reading: error, at: "a record that one of \(binding.type.name) refers to")
        }
    }
}

/// The reference paths that the closure has read during a walk. Each path is prepared once.
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
    /// Calls `body` with each record that a request asks for, until `body` returns false. The store decodes only the fields that
    /// `body` reads.
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
