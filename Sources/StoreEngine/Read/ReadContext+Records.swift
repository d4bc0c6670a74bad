import LMDB

// The typed reads. They are inlinable, so that decoding is specialized for the record type where it is used.
extension ReadContext {
    @inlinable
    func get<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        R._key(of: id).encodeKey(to: &key)
        guard let record: R = try record(binding, key: &key) else { return nil }
        if ReadContext.isTruncated(key), !Sameness.haveOneKey(R._key(of: record.recordID), R._key(of: id)) {
            return nil
        }
        return record
    }

    /// Returns the record with a key; nil where there is none.
    @inlinable
    func record<R: Record>(_ binding: TypedBinding, key: inout ByteWriter) throws(StoreError) -> R? {
        guard let stored = try stored(binding, key: &key) else { return nil }
        return try decoded(stored, key: key.bytes, binding)
    }

    @inlinable
    func value<R: Record, V: FieldValue>(
        _ type: R.Type, id: R.ID, _ field: Field<R, V>
    ) throws(StoreError) -> V? {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        R._key(of: id).encodeKey(to: &key)
        if !field.nestedPath.isEmpty || ReadContext.isTruncated(key) {
            let own = try field.ofRecord()
            return try get(type, id: id).map { own.value(in: $0) }
        }
        guard let stored = try stored(binding, key: &key) else { return nil }
        let decoder = try decoder(stored, key: key.bytes, binding, verifying: false)
        do {
            let value: V = try decoder.decode(field.index)
            return value
        } catch {
            throw unreadable(binding, key: key.bytes, error)
        }
    }

    @inlinable
    func contains<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> Bool {
        var key = ByteWriter(capacity: 64)
        R._key(of: id).encodeKey(to: &key)
        if ReadContext.isTruncated(key) { return try get(type, id: id) != nil }
        return try hasRecord(binding(R.self), key: &key)
    }

    /// Whether the store holds a record with the same content as this one.
    ///
    /// The stored bytes are compared first, because encoding a value of a JSON field twice may give different text.
    @usableFromInline
    func holds<R: Record>(_ record: R) throws(StoreError) -> Bool {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        R._key(of: record.recordID).encodeKey(to: &key)
        guard let stored = try stored(binding, key: &key) else { return false }
        let encoded = try WriteTransaction.encoding(of: record, binding)
        let decoder = try decoder(stored, key: key.bytes, binding, verifying: true)
        do {
            if try decoder.holds(encoded.tableBytes) { return true }
            let other = try Sameness.encoding(of: R(from: decoder))
            return other.tableBytes.isEqual(to: encoded.tableBytes)
        } catch {
            throw unreadable(binding, key: key.bytes, error)
        }
    }

    @usableFromInline
    func hasRecord(_ binding: TypedBinding, key: inout ByteWriter) throws(StoreError) -> Bool {
        try stored(binding, key: &key) != nil
    }

    @usableFromInline
    func count<R: Record>(_ type: R.Type) throws(StoreError) -> Int {
        let binding = try binding(type)
        note(binding.type.type)
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
        switch try lookUp(binding, uniqueIndexOn: field.path, key: &key) {
        case .none: return nil
        case .record: return try get(binding, key: key, where: field, is: value)
        case .sharedEntries(let candidates):
            for candidate in candidates {
                key.removeAll()
                key.append(candidate)
                if let record = try get(binding, key: key, where: field, is: value) { return record }
            }
            return nil
        }
    }

    /// Returns the record with a key that an index led to; nil where the record's field has another value.
    @inlinable
    func get<R: Record, V: IndexableValue>(
        _ binding: TypedBinding, key: borrowing ByteWriter, where field: Field<R, V>, is value: V
    ) throws(StoreError) -> R? {
        let record: R = try decoded(indexedRecord(binding, key: key.bytes), key: key.bytes, binding)
        return Sameness.haveOneKey(field.value(in: record), value) ? record : nil
    }

    /// Looks a value's key up in the unique index on a field. If the result is one record, `key` then holds that record's key.
    @usableFromInline
    func lookUp(
        _ binding: TypedBinding, uniqueIndexOn path: [Int], key: inout ByteWriter
    ) throws(StoreError) -> UniqueLookup {
        guard path.count == 1, let index = binding.uniqueIndex(onDeclared: path[0]) else {
            throw StoreError(
                .unknownField, "\(binding.type.name) has no unique index on that field alone",
                remedy: "mark the field @Unique")
        }
        do {
            if KeyLimit.truncateIndexValue(&key, from: 0, index.keyHash) {
                return .sharedEntries(try sharedEntries(index, valuePart: key.bytes))
            }
            guard let data = try snapshot.get(index.database, key: key.bytes) else { return .none }
            guard let recordKey = try IndexEntry.soleRecordKey(data) else {
                throw CodecError("the entry of a whole value has the form of a truncated one")
            }
            key.removeAll()
            key.append(recordKey)
            return .record
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as CodecError {
            throw StoreError(error, at: "an entry of the index (\(index.fieldNames(in: binding.type.type)))")
        } catch {
            throw StoreError(.other, "\(error)")
        }
    }

    /// Returns the record keys of all entries in the shared form that have a value part.
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
}

/// A position in the order of record keys. The record with this key may have been deleted.
package struct RowMark: Hashable, Sendable {
    /// The record's key.
    let key: [UInt8]

    /// Whether the record of a change comes at or before this position.
    package func includes(_ change: RecordChange) -> Bool {
        !key.lexicographicallyPrecedes(change.change.key)
    }
}

extension ReadContext {
    /// Returns a chunk of records in the order of their keys, and the position of the last record read; nil where there are no
    /// more.
    ///
    /// The order of keys is the order of ids, except among records whose keys are truncated. A key alone therefore identifies a
    /// position.
    ///
    /// - Parameters:
    ///   - mark: the record to begin after; nil to begin with the first.
    ///   - limit: the most records to read.
    ///   - filters: the filters that returned records pass; nil for all records.
    package func chunk<R: Record>(
        _ type: R.Type, after mark: RowMark?, limit: Int, _ filters: FeedFilters? = nil
    ) throws(StoreError) -> (rows: [R], mark: RowMark?) {
        let binding = try binding(R.self)
        var rows: [R] = []
        let mark = try forEachRecord(binding.type, after: mark, limit: limit, filters) { cursor throws(StoreError) in
            rows.append(try cursor.decoded(binding))
        }
        return (rows, mark)
    }

    /// Returns a chunk of records, as `chunk(_:after:limit:_:)` does, without their Swift type.
    package func dynamicChunk(
        typeIndex: Int, after mark: RowMark?, limit: Int, filters: FeedFilters?
    ) throws(StoreError) -> (rows: [DynamicRecord], mark: RowMark?) {
        let type = state.catalog.types[typeIndex]
        var rows: [DynamicRecord] = []
        let mark = try forEachRecord(type, after: mark, limit: limit, filters) { cursor throws(StoreError) in
            rows.append(try cursor.dynamicRecord(type))
        }
        return (rows, mark)
    }

    /// Calls `body` with a chunk of records in the order of their keys.
    ///
    /// - Returns: the position of the last record read; nil where there are no more.
    private func forEachRecord(
        _ type: OpenType, after mark: RowMark?, limit: Int, _ filters: FeedFilters?,
        _ body: (borrowing FetchCursor) throws(StoreError) -> Void
    ) throws(StoreError) -> RowMark? {
        var cursor = try FetchCursor(self, .inKeyOrder(type, after: mark?.key))
        var (count, byteCount) = (0, 0)
        while try cursor.advance() {
            count += 1
            byteCount += cursor.record.byteCount
            if try cursor.passes(filters) { try body(cursor) }
            if count >= limit || byteCount >= Self.chunkByteCount { return RowMark(key: cursor.recordKey.array()) }
        }
        return nil
    }

    /// A chunk ends when it has read this many bytes of records.
    private static let chunkByteCount = 1 << 20
}

/// The result of a lookup in a unique index.
@usableFromInline
enum UniqueLookup {
    case none
    /// One record. The lookup replaced the value's key with the record's key.
    case record
    /// The keys of records whose long values have the same truncated part. The caller compares the values.
    case sharedEntries([[UInt8]])
}
