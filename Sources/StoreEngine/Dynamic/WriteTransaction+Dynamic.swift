// Writes records by the catalog alone, without their Swift types. The typed operations share all code below the encoding.
extension WriteTransaction {
    /// Stores a dynamic record of the type at index `typeIndex` of the catalog.
    ///
    /// - Returns: the stored record, with generated fields filled in.
    /// - Throws: ``StoreError``: `invalidValue` that names the field whose value does not match its type; otherwise as `insert`,
    ///   `update` and `upsert` of typed records.
    @discardableResult
    package mutating func put(
        _ record: DynamicRecord, typeIndex: Int, mode: WriteMode
    ) throws(StoreError) -> DynamicRecord {
        let type = state.catalog.types[typeIndex]
        do {
            try encoder.encode(record, of: type)
        } catch {
            throw StoreError(.invalidValue, "\(type.name).\(error.reason)", cause: error)
        }
        try put(typeIndex, mode: mode)
        do {
            return try DynamicRecord(table: encoder.tableBytes, of: type)
        } catch {
            throw StoreError(.invalidValue, "a record of \(type.name) cannot be decoded: \(error)", cause: error)
        }
    }

    /// Deletes the record with this id.
    ///
    /// - Returns: whether the record existed.
    package mutating func delete(dynamicID id: [DynamicValue], typeIndex: Int) throws(StoreError) -> Bool {
        let type = state.catalog.types[typeIndex]
        var key = ByteWriter(capacity: 64)
        try DynamicID.encodeKey(id, of: type, to: &key)
        if key.count >= KeyLimit.recordKey, try _reading.dynamicRecord(id: id, typeIndex: typeIndex) == nil {
            return false
        }
        return try delete(typeIndex, key: key.bytes)
    }
}
