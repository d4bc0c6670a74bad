extension WriteTransaction {
    /// The maximum number of records in memory at once.
    private static let transformChunk = 1_024

    /// Inserts the result of `body` for each record of one type; nil leaves the record out. Afterwards no record of the old type
    /// can be written in this transaction.
    ///
    /// The change set has the end of each old record before its replacement (``Replacement``). The old records themselves stay
    /// until the type is retired, because later steps may read them.
    ///
    /// - Throws: ``StoreError`` that names the record. Its cause is the error of `body` or of the insert.
    package mutating func transform<Old: Record, New: Record>(
        _ old: Old.Type, to new: New.Type, _ body: (Old) throws -> New?
    ) throws(StoreError) {
        var mark: RowMark?
        repeat {
            let records: [Old]
            (records, mark) = try _reading.chunk(Old.self, after: mark, limit: Self.transformChunk)
            for record in records {
                do {
                    let end = try noteEnd(of: record)
                    let start = changes.entries.count
                    if let transformed = try body(record) { try insert(transformed) }
                    if let end { changes.replace(end, from: start) }
                } catch {
                    throw WriteTransaction.notTransformed(record, error)
                }
            }
        } while mark != nil
        // The new type must not assign ids that the old type has assigned.
        let (oldType, newType) = (try typeIndex(Old.self), try typeIndex(New.self))
        let greatest = try _reading.greatestAssignedID(of: state.catalog.types[oldType])
        if greatest > 0, state.catalog.types[newType].assignedFieldIndex != nil {
            try keepAssignedIDs(above: greatest, typeIndex: newType)
        }
        end(state.catalog.types[oldType])
    }

    /// Notes in the change set that a record ends.
    ///
    /// - Returns: the index of its entry.
    private mutating func noteEnd<Old: Record>(of record: Old) throws(StoreError) -> Int? {
        let typeIndex = try typeIndex(Old.self)
        let type = state.catalog.types[typeIndex]
        recordKey.removeAll()
        Old._key(of: record.recordID).encodeKey(to: &recordKey)
        KeyLimit.truncateRecordKey(&recordKey, type.keyHash)
        guard try copyStored(type) else { return nil }
        let entry = noteTouched(typeIndex)
        changes.remove(entry)
        return entry
    }

    private static func notTransformed<R: Record>(_ record: R, _ error: any Error) -> StoreError {
        let store = error as? StoreError
        return StoreError(
            store?.code ?? .invalidValue,
            "the \(R.recordSchema.name) with the id \(record.recordID) cannot be migrated: \(store?.message ?? ErrorText.of(error))",
            remedy: "handle such records in the step, or return nil to drop them", cause: error)
    }
}
