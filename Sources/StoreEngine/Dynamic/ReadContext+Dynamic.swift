import LMDB

// Reading records by the catalog alone.
extension ReadContext {
    /// The record with this id, or nil.
    package func dynamicRecord(id: [DynamicValue], typeIndex: Int) throws(StoreError) -> DynamicRecord? {
        let type = state.catalog.types[typeIndex]
        var key = ByteWriter(capacity: 64)
        try DynamicID.encodeKey(id, of: type, to: &key)
        let isLong = key.count >= KeyLimit.recordKey
        KeyLimit.truncateRecordKey(&key)
        guard let bytes = try value(type.database, key: key.bytes) else { return nil }
        do {
            let record = try DynamicRecord(bytes, of: type)
            // Two ids that are too long for a key may share its truncated form.
            if isLong, type.idParts.map({ record.values[$0.place] }) != id { return nil }
            return record
        } catch {
            throw damage(type, key: key.bytes, error)
        }
    }

    /// Calls `body` with each record of a type in the order of ids, until it returns false.
    package func forEachDynamic(typeIndex: Int, _ body: (DynamicRecord) throws -> Bool) throws {
        let type = state.catalog.types[typeIndex]
        var cursor = try FetchCursor(self, type: type, plan: .all(of: type))
        while try cursor.advance() {
            if try !body(cursor.dynamicRecord(type)) { return }
        }
    }

    /// Some records of a type in the order of their keys, as ``chunk(_:after:limit:_:)``, and the place of the last that was looked
    /// at; nil where there are no more.
    ///
    /// - Parameters:
    ///   - mark: the record after which they begin; nil for the first.
    ///   - limit: the most records that are looked at. At least 1.
    ///   - filters: what lets records through; all when nil.
    package func dynamicChunk(
        typeIndex: Int, after mark: RowMark?, limit: Int, filters: FeedFilters?
    ) throws -> (rows: [DynamicRecord], mark: RowMark?) {
        let type = state.catalog.types[typeIndex]
        var cursor = try opened(type.database)
        var isPositioned = try mapLMDB { () throws(LMDBError) in
            guard let mark else { return try cursor.first() }
            guard unsafe try cursor.seek(atLeast: mark.key.span.bytes) else { return false }
            // That record may be gone since.
            return unsafe cursor.key.isEqual(to: mark.key.span.bytes) ? try cursor.next() : true
        }
        var rows: [DynamicRecord] = []
        var (count, byteCount) = (0, 0)
        while isPositioned {
            count += 1
            byteCount += cursor.value.byteCount
            if try filters?.pass(RecordBytes(cursor.value), of: type) ?? true {
                rows.append(try decoded(type, key: cursor.key, value: cursor.value))
            }
            if count >= limit || byteCount >= Self.chunkByteCount { return (rows, RowMark(key: cursor.key.array())) }
            isPositioned = try mapLMDB { () throws(LMDBError) in try cursor.next() }
        }
        return (rows, nil)
    }

    /// The bytes of records after which a chunk ends.
    private static let chunkByteCount = 1 << 20

    /// The number of records of a type.
    package func count(typeIndex: Int) throws(StoreError) -> Int {
        do {
            return try snapshot.statistics(of: state.catalog.types[typeIndex].database).entries
        } catch {
            throw StoreError(error)
        }
    }

    /// The feed's head in this snapshot.
    package func feedHead() throws(StoreError) -> FeedHead { try StoreFormat.head(state.databases, snapshot) }

    /// The change set with this sequence number, or nil when it is not retained.
    package func feedEntry(_ sequence: UInt64) throws(StoreError) -> FeedEntry? {
        try FeedReader.entry(sequence, in: state.databases.feed, snapshot)
    }

    /// The catalog that this transaction reads by.
    package var catalog: Catalog { state.catalog }

    private func decoded(_ type: OpenType, key: RawSpan, value: RawSpan) throws(StoreError) -> DynamicRecord {
        do {
            return try DynamicRecord(value, of: type)
        } catch {
            throw damage(type, key: key, error)
        }
    }

    @_lifetime(copy self)
    func opened(_ database: LMDBDatabase) throws(StoreError) -> LMDBCursor {
        do {
            return try snapshot.openCursor(database)
        } catch {
            throw StoreError(error)
        }
    }
}
