/// A part of the net difference between a position and now, by record.
///
/// A reader uses it to catch up after the change sets in between have left the feed.
public struct FeedDifference: Sendable {
    /// The position that the difference starts from. A reader that stops before the end starts again from here.
    public let since: Position
    /// The reader has received every record whose last change is in this change set or an earlier one.
    public let reached: UInt64
    /// The newest change set of the store when this part was read. The difference is complete when ``reached`` equals it.
    public let newest: UInt64
    /// The records, each in its state when this part was read.
    public let records: [DifferenceEntry]
    private let state: StoreState

    init(since: Position, reached: UInt64, newest: UInt64, records: [DifferenceEntry], _ state: StoreState) {
        self.since = since
        self.reached = reached
        self.newest = newest
        self.records = records
        self.state = state
    }

    /// Returns the records of one type.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `valueDoesNotFit`, `damaged`.
    public func records<R: Record>(of type: R.Type) throws(StoreError) -> [Difference<R>] {
        let binding = try state.catalog.binding(R.self)
        var typed: [Difference<R>] = []
        for record in records where record.type === binding.type {
            guard record.state != .schema, record.state != .reset else { continue }
            do {
                typed.append(try FeedDifference.typed(record, binding))
            } catch {
                throw FeedDifference.undecodable(record, binding, error)
            }
        }
        return typed
    }

    /// Returns whether records of a type changed in a way that the feed does not record, so that a reader must read them again.
    /// This happens when a program that is not ModelStore has written to the store.
    public func isReset<R: Record>(_ type: R.Type) -> Bool {
        guard let typeIndex = state.catalog.typeIndex(named: R.recordSchema.name) else { return false }
        let number = state.catalog.types[typeIndex].type.id
        return records.contains { $0.state == .reset && ($0.typeNumber == .max || $0.typeNumber == number) }
    }

    private static func undecodable(
        _ record: DifferenceEntry, _ binding: TypedBinding, _ error: CodecError
    ) -> StoreError {
        let location = "a record of \(binding.type.name) in the difference"
        if let row = record.row {
            return unsafe StoreError(
                unreadable: row.span.bytes, of: binding.type.type, binding.naming(error), at: location)
        }
        // Only the id is known. If it is a value of its stored type, nothing is damaged.
        guard let id = try? record.idJSON() else { return StoreError(error, at: location) }
        return StoreError("\(binding.type.name) \(id)", doesNotFit: error)
    }

    private static func typed<R: Record>(
        _ record: DifferenceEntry, _ binding: TypedBinding
    ) throws(CodecError) -> Difference<R> {
        var row: R?
        let id: R.ID
        if let bytes = record.row {
            let table = unsafe try RecordBytes(unverified: bytes.span.bytes).table
            let decoded = try R(from: FieldDecoder(table, slots: binding.fieldIndexesByDeclared))
            (row, id) = (decoded, decoded.recordID)
        } else {
            id = unsafe try Reference<R>(from: record.id.span.bytes).id
        }
        return Difference(id: id, row: row, state: record.state, before: record.before, kind: record.kind)
    }
}
