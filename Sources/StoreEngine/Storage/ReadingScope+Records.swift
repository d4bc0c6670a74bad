import LMDB

// The typed reads. They are inlinable, so that decoding is specialized for the record type where it is used.
extension ReadingScope {
    @inlinable
    func get<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        id.encodeKey(to: &key)
        guard let decoder = try decoder(binding, key: &key, verifying: true) else { return nil }
        let record: R
        do {
            record = try R(from: decoder)
        } catch {
            throw damage(binding, key: key, error)
        }
        if ReadingScope.isTruncated(key), record.recordID != id { return nil }
        return record
    }

    @inlinable
    func value<R: Record, V: FieldValue>(
        _ type: R.Type, id: R.ID, _ field: Field<R, V>
    ) throws(StoreError) -> V? {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        id.encodeKey(to: &key)
        if !field.nestedPath.isEmpty || ReadingScope.isTruncated(key) {
            return try get(type, id: id).map { field.value(in: $0) }
        }
        guard let decoder = try decoder(binding, key: &key, verifying: false) else { return nil }
        do {
            let value: V = try decoder.decode(field.index)
            return value
        } catch {
            throw damage(binding, key: key, error)
        }
    }

    @inlinable
    func contains<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> Bool {
        var key = ByteWriter(capacity: 64)
        id.encodeKey(to: &key)
        if ReadingScope.isTruncated(key) { return try get(type, id: id) != nil }
        return try hasRecord(binding(R.self), key: &key)
    }

    @usableFromInline
    func hasRecord(_ binding: TypedBinding, key: inout ByteWriter) throws(StoreError) -> Bool {
        KeyLimit.truncateRecordKey(&key)
        return try value(binding.type.database, key: key.bytes) != nil
    }

    @usableFromInline
    func count<R: Record>(_ type: R.Type) throws(StoreError) -> Int {
        let binding = try binding(type)
        do {
            return try snapshot.statistics(of: binding.type.database).entries
        } catch {
            throw StoreError(error)
        }
    }

    @inlinable
    func get<R: Record, V: IndexableValue>(
        _ type: R.Type, unique field: Field<R, V>, equals value: V
    ) throws(StoreError) -> R? {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        value.encodeKey(to: &key)
        var candidates = try recordKeys(binding, uniqueIndexOn: field.path, valueKey: &key)
        while !candidates.isEmpty {
            key.removeAll()
            key.append(candidates.removeFirst())
            guard let decoder = try decoder(binding, key: &key, verifying: true) else {
                throw danglingEntry(binding, key: key)
            }
            do {
                let record = try R(from: decoder)
                if field.value(in: record) == value { return record }
            } catch {
                throw damage(binding, key: key, error)
            }
        }
        return nil
    }

    @usableFromInline
    func danglingEntry(_ binding: TypedBinding, key: borrowing ByteWriter) -> StoreError {
        damage(binding, key: key, CodecError("an index leads to it, but it is not there"))
    }

    /// The keys of the records that a unique index has under a value: one, or several that share a truncated part.
    @usableFromInline
    func recordKeys(
        _ binding: TypedBinding, uniqueIndexOn path: [Int], valueKey: inout ByteWriter
    ) throws(StoreError) -> [[UInt8]] {
        let place = binding.place(ofDeclared: path[0])
        guard path.count == 1,
            let index = binding.type.indexes.first(where: {
                $0.stored.isUnique && $0.parts.count == 1 && $0.parts[0].place == place
            })
        else {
            throw StoreError(
                .unknownField, "\(binding.type.name) has no unique index on that field alone",
                remedy: "mark the field @Unique")
        }
        let isTruncated = KeyLimit.truncateIndexValue(&valueKey, from: 0)
        do {
            if !isTruncated, let data = try snapshot.get(index.database, key: valueKey.bytes) {
                return [try IndexEntry.recordKey(key: valueKey.bytes, data: data).array()]
            }
            return isTruncated ? try sharedEntries(index, valuePart: valueKey.bytes) : []
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as CodecError {
            throw StoreError(error, at: "an entry of the index (\(index.fieldNames(in: binding.type.type)))")
        } catch {
            throw StoreError(.other, "\(error)")
        }
    }

    /// The record keys of all entries in the shared form under a value part.
    func sharedEntries(_ index: OpenIndex, valuePart: RawSpan) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var cursor = try snapshot.openCursor(index.database)
        var isPositioned = try cursor.seek(atLeast: valuePart)
        while isPositioned, cursor.key.byteCount > valuePart.byteCount,
            cursor.key.extracting(first: valuePart.byteCount).isEqual(to: valuePart)
        {
            found.append(try IndexEntry.recordKey(key: cursor.key, data: cursor.value).array())
            isPositioned = try cursor.next()
        }
        return found
    }

    @inlinable
    func forEach<R: Record>(_ type: R.Type, _ body: (R) throws -> Bool) throws {
        let binding = try binding(R.self)
        var scan = try RecordScan(self, binding: binding)
        while try scan.advance() {
            let decoder = try scan.decoder()
            let record: R
            do {
                record = try R(from: decoder)
            } catch {
                throw scan.damage(error)
            }
            if try !body(record) { return }
        }
    }
}

/// A walk over the records of a type in the order of their keys. Support for ``ReadableTransaction/forEach(_:_:)``.
@safe
@usableFromInline
struct RecordScan: ~Copyable, ~Escapable {
    private let scope: ReadingScope
    private let binding: TypedBinding
    private var cursor: LMDBCursor
    private var hasBegun = false

    @usableFromInline
    @_lifetime(copy scope)
    init(_ scope: ReadingScope, binding: TypedBinding) throws(StoreError) {
        self.scope = scope
        self.binding = binding
        do {
            cursor = try scope.snapshot.openCursor(binding.type.database)
        } catch {
            throw StoreError(error)
        }
    }

    /// Goes to the next record; false at the end.
    @usableFromInline
    mutating func advance() throws(StoreError) -> Bool {
        do {
            if hasBegun { return try cursor.next() }
            hasBegun = true
            return try cursor.first()
        } catch {
            throw StoreError(error)
        }
    }

    /// The fields of the record that the walk is at.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func decoder() throws(StoreError) -> FieldDecoder {
        do {
            return try scope.decoder(binding, record: cursor.value, verifying: true)
        } catch {
            throw damage(error)
        }
    }

    @usableFromInline
    borrowing func damage(_ error: CodecError) -> StoreError { scope.damage(binding.type, key: cursor.key, error) }
}
