import LMDB

// Reads records by the catalog alone, without their Swift types.
extension ReadContext {
    /// Returns the record with this id, or nil.
    package func dynamicRecord(id: [DynamicValue], typeIndex: Int) throws(StoreError) -> DynamicRecord? {
        let type = state.catalog.types[typeIndex]
        var key = ByteWriter(capacity: 64)
        try DynamicID.encodeKey(id, of: type, to: &key)
        let isLong = key.count >= KeyLimit.recordKey
        KeyLimit.truncateRecordKey(&key, type.keyHash)
        guard let bytes = try value(type.database, key: key.bytes) else { return nil }
        do {
            let record = try DynamicRecord(bytes, of: type)
            // Long ids may have the same truncated key.
            if isLong, type.idParts.map({ record.values[$0.fieldIndex] }) != id { return nil }
            return record
        } catch {
            throw unreadable(type, key: key.bytes, error)
        }
    }

    /// Calls `body` with each record of a type in the order of ids, until `body` returns false.
    package func forEachDynamic(typeIndex: Int, _ body: (DynamicRecord) throws -> Bool) throws {
        var request = Request()
        request.order = state.catalog.types[typeIndex].orderByID
        try fetchDynamic(request, typeIndex: typeIndex, body)
    }

    /// Returns the number of records of a type.
    package func count(typeIndex: Int) throws(StoreError) -> Int {
        do {
            return try snapshot.statistics(of: state.catalog.types[typeIndex].database).entries
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the feed's head in this snapshot.
    package func feedHead() throws(StoreError) -> FeedHead { try StoreFormat.head(state.databases, snapshot) }

    /// Returns the change set with this sequence number, or nil if the feed does not retain it.
    package func feedEntry(_ sequence: UInt64) throws(StoreError) -> FeedEntry? {
        var entry = try FeedReader.entry(sequence, in: state.databases.feed, snapshot)
        entry?.findKeys(in: state)
        return entry
    }

    /// The catalog that this transaction uses.
    package var catalog: Catalog { state.catalog }

    @_lifetime(copy self)
    func opened(_ database: LMDBDatabase) throws(StoreError) -> LMDBCursor {
        do {
            return try snapshot.openCursor(database)
        } catch {
            throw StoreError(error)
        }
    }
}
