extension WriteTransaction {
    /// The most records that are held in memory at once.
    private static let transformChunk = 1_024

    /// Inserts for each record of one type what `body` makes of it; nil leaves it out. From then on no record of that type
    /// can be written in this transaction.
    ///
    /// - Throws: ``StoreError`` that names the record, with what `body` or the insert threw as its cause.
    package mutating func transform<Old: Record, New: Record>(
        _ old: Old.Type, to new: New.Type, _ body: (Old) throws -> New?
    ) throws(StoreError) {
        var last: [UInt8] = []
        while true {
            let records = try records(Old.self, after: &last, limit: Self.transformChunk)
            if records.isEmpty { break }
            for record in records {
                do {
                    if let transformed = try body(record) { try insert(transformed) }
                } catch {
                    throw WriteTransaction.notTransformed(record, error)
                }
            }
        }
        // Ids that were given out stay given out.
        let (oldType, newType) = (try typeIndex(Old.self), try typeIndex(New.self))
        let greatest = try _reading.greatestAssignedID(of: state.catalog.types[oldType])
        if greatest > 0, state.catalog.types[newType].assignedPlace != nil {
            try keepAssignedIDs(above: greatest, typeIndex: newType)
        }
        end(state.catalog.types[oldType])
    }

    /// The next records of a type in the order of keys.
    private borrowing func records<R: Record>(
        _ type: R.Type, after last: inout [UInt8], limit: Int
    ) throws(StoreError) -> [R] {
        let reading = _reading
        var scan = try RecordScan(reading, binding: reading.binding(R.self), after: last)
        var found: [R] = []
        while found.count < limit, try scan.advance() {
            found.append(try scan.record(R.self))
            last = scan.key.array()
        }
        return found
    }

    private static func notTransformed<R: Record>(_ record: R, _ error: any Error) -> StoreError {
        let store = error as? StoreError
        return StoreError(
            store?.code ?? .invalidValue,
            "the \(R.recordSchema.name) with the id \(record.recordID) cannot be migrated: \(store?.message ?? ErrorText.of(error))",
            remedy: "let the step handle such records, or leave them out with nil", cause: error)
    }
}
