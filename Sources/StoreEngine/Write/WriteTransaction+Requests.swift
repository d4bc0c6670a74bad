// Writing all records that a request matches.
extension WriteTransaction {
    /// Changes each record that a request matches.
    ///
    /// ```swift
    /// let count = try tx.update(Sensor.where { $0.room == "attic" }) { $0.celsius += 1 }
    /// ```
    ///
    /// The transaction finds the records before it changes the first one, so a change never makes the request match further
    /// records. The transaction changes the records one after the other, in the order of the request. In a unique field, each new
    /// value must therefore be free at that moment.
    ///
    /// - Parameters:
    ///   - request: selects the records. Its limit and offset apply.
    ///   - change: changes one record. It must not change the id.
    /// - Returns: the number of records that the transaction found and changed.
    /// - Throws: any error that `change` throws; ``StoreError`` as ``update(_:id:where:file:line:_:)`` and as a fetch. The
    ///   closure cannot be committed then, because some records may have been changed.
    /// - Complexity: the cost of fetching the request, plus one update for each record. Takes memory for the keys of the records.
    @inlinable
    @discardableResult
    public mutating func update<R: Record>(
        _ request: FetchRequest<R>, _ change: (inout R) throws -> Void
    ) throws -> Int {
        let keys = try recordKeys(request)
        do {
            for index in 0..<keys.count {
                guard var record = try _reading.record(R.self, keys, index) else { continue }
                let id = record.recordID
                try change(&record)
                guard Sameness.haveOneKey(R._key(of: record.recordID), R._key(of: id)) else {
                    throw WriteTransaction.idChanged(R.recordSchema.name)
                }
                try update(record)
            }
        } catch {
            throw refuseUnfinished(error)
        }
        return keys.count
    }

    /// Deletes each record that a request matches.
    ///
    /// ```swift
    /// let count = try tx.delete(Alarm.where { $0.time < limit })
    /// ```
    ///
    /// The transaction finds the records before it deletes the first one.
    ///
    /// - Parameter request: selects the records. Its limit and offset apply.
    /// - Returns: the number of records that the transaction deleted. A record that the rule of a reference deleted together with
    ///   another record does not count.
    /// - Throws: ``StoreError`` as ``delete(_:id:where:file:line:)`` and as a fetch. The closure cannot be committed then,
    ///   because some records may have been deleted.
    /// - Complexity: the cost of fetching the request, plus one delete for each record. Takes memory for the keys of the records.
    @discardableResult
    public mutating func delete<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Int {
        try delete(request.request, typeIndex: state.catalog.binding(R.self).typeIndex)
    }

    /// Deletes all records of a type: `tx.deleteAll(Alarm.self)`.
    ///
    /// - Returns: the number of records that the transaction deleted, as ``delete(_:)`` counts them.
    /// - Throws: as ``delete(_:)``.
    @discardableResult
    public mutating func deleteAll<R: Record>(_ type: R.Type) throws(StoreError) -> Int { try delete(R.all) }

    @available(*, unavailable, message: "use 'deleteAll(_:)' for all records, or 'delete(_:id:)' for one")
    /// Deletes all records of a type. Unavailable, because it is easily written in place of `delete(_:id:)`.
    public mutating func delete<R: Record>(_ type: R.Type) throws(StoreError) -> Int { try deleteAll(type) }

    /// Deletes each record of a type that a request matches. See ``delete(_:)``.
    package mutating func delete(_ request: Request, typeIndex: Int) throws(StoreError) -> Int {
        let keys = try _reading.recordKeys(request, typeIndex: typeIndex)
        var count = 0
        do {
            for index in 0..<keys.count where try delete(typeIndex, key: keys[index]) { count += 1 }
        } catch {
            throw refuse(error)
        }
        return count
    }

    /// Changes each record of a type that a request matches. See ``update(_:_:)``.
    ///
    /// - Parameter change: changes one record. It must not change the id.
    package mutating func update(
        _ request: Request, typeIndex: Int, _ change: (inout DynamicRecord) throws -> Void
    ) throws -> Int {
        let keys = try _reading.recordKeys(request, typeIndex: typeIndex)
        do {
            for index in 0..<keys.count {
                guard var record = try _reading.dynamicRecord(key: keys[index], typeIndex: typeIndex) else { continue }
                try change(&record)
                try put(record, typeIndex: typeIndex, mode: .update)
            }
        } catch {
            throw refuseUnfinished(error)
        }
        return keys.count
    }

    @usableFromInline
    borrowing func recordKeys<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> RecordKeyList {
        let scope = _reading
        return try scope.recordKeys(request.request, typeIndex: scope.binding(R.self).typeIndex)
    }

    /// Prevents the closure from committing, because it may have written some of the records and not the others.
    @usableFromInline
    mutating func refuseUnfinished(_ error: any Error) -> any Error {
        _ = refuse(StoreError(reading: error, at: "the records of a request"))
        return error
    }
}

extension ReadContext {
    /// Returns the keys of the records that a request matches, in its order.
    func recordKeys(_ request: Request, typeIndex: Int) throws(StoreError) -> RecordKeyList {
        var keys = RecordKeyList()
        var cursor = try fetchCursor(request, typeIndex: typeIndex)
        while try cursor.advance() { keys.append(cursor.recordKey) }
        return keys
    }

    /// Returns the record under a key of a list; nil if it no longer exists.
    @inlinable
    func record<R: Record>(_ type: R.Type, _ keys: RecordKeyList, _ index: Int) throws(StoreError) -> R? {
        let binding = try binding(R.self)
        var key = ByteWriter(capacity: 64)
        keys.copy(index, to: &key)
        return try record(binding, key: &key)
    }

    /// Returns the record of a type under a key; nil if there is none.
    func dynamicRecord(key: RawSpan, typeIndex: Int) throws(StoreError) -> DynamicRecord? {
        let type = state.catalog.types[typeIndex]
        guard let bytes = try value(type.database, key: key) else { return nil }
        do {
            return try DynamicRecord(bytes, of: type)
        } catch {
            throw unreadable(type, key: key, error)
        }
    }
}
