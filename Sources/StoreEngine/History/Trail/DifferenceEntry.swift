/// The net change of one record between a position and now, without the changes in between. An element of a ``FeedDifference``.
///
/// It is not a ``RecordChange``. The store no longer knows which fields changed, how often, or from which values. It does not
/// know the contents of a deleted record either.
public struct DifferenceEntry: Sendable {
    /// The current state of the record.
    public enum State: Hashable, Sendable {
        /// The record exists, and the entry contains its row.
        case present
        /// The record does not exist.
        case absent
        /// The record exists and does not meet the requested condition. The store does not know whether it met the condition at
        /// the position. A reader that keeps matching records removes this record if it holds it.
        case unmatched
        /// Not a record: the record type was added or changed. Rows of the type come in the newest form.
        case schema
        /// Not a record: records of the type, or of all types, changed in a way that the feed does not record. Read them again.
        case reset
    }

    /// The state under the record's id at the position.
    public enum Before: Hashable, Sendable {
        /// No record existed.
        case nothing
        /// This record existed; its fields may have changed.
        case same
        /// Another record existed. It was deleted since, and this record was inserted under its id.
        case another
        /// A record or nothing existed. More than one record has had the id since, so the store does not know which.
        case unknown
    }

    /// The current state of the record.
    public let state: State
    /// The state at the position. The difference also lists records that were inserted and deleted since. Their state is
    /// `absent`, and their earlier state is `nothing`. A reader that was interrupted in the middle of a large change set may hold
    /// them.
    public let before: Before
    package let typeNumber: UInt32
    /// The record type; nil for one that a migration replaced.
    package let type: OpenType?
    /// The description of the record type, also of one that a migration replaced; nil for a reset of all types.
    let described: RecordType?
    /// The id, encoded as in a reference to the record; equal to the row's own id if there is a row.
    package let id: [UInt8]
    /// The current record, in the form of the newest version.
    package let row: [UInt8]?

    /// The name of the record type, also of one that a migration replaced. It is `*` for a reset of all types.
    public var typeName: String { described?.name ?? (typeNumber == .max ? "*" : "#\(typeNumber)") }

    /// The kind of change that leads from the earlier state to the current one. Nil if the store does not know it, if the record
    /// does not meet the condition, or if the record existed neither then nor now.
    public var kind: ChangeKind? {
        switch (state, before) {
        case (.present, .nothing): .insert
        case (.present, .same): .update
        case (.present, .another): .replace
        case (.absent, .same), (.absent, .another): .delete
        case (.schema, _): .schema
        case (.reset, _): .reset
        default: nil
        }
    }

    /// Returns the record's id as a JSON value; an array if the id has several fields. Returns nil for an entry that is not of a
    /// record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func idJSON() throws(StoreError) -> String? { try idValue().map { JSONWriter.text(of: $0) } }

    /// Returns the current record as a JSON object; nil if it does not exist or does not meet the condition.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func rowJSON() throws(StoreError) -> String? { try rowValue().map { JSONWriter.text(of: $0) } }

    /// Returns the record's id.
    package func idValue() throws(StoreError) -> JSONValue? {
        guard state != .schema, state != .reset, let type else { return nil }
        return try decoded { () throws(CodecError) in
            let types = type.idParts.map { type.type.fields[$0.fieldIndex].type }
            if types.count == 1 { return unsafe try DynamicValue(from: id.span.bytes, as: types[0]).json(as: types[0]) }
            let table = unsafe try FieldTable(id.span.bytes)
            var parts: [JSONValue] = []
            for (part, type) in types.enumerated() {
                parts.append(try DynamicValue(from: table.field(part), as: type).json(as: type))
            }
            return .array(parts)
        }
    }

    /// Returns the current record.
    package func rowValue() throws(StoreError) -> JSONValue? {
        guard let row, let type else { return nil }
        return try decoded { () throws(CodecError) in
            unsafe try DynamicRecord(unverified: row.span.bytes, of: type).json(type.type)
        }
    }

    private func decoded<T>(_ body: () throws(CodecError) -> T) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            throw StoreError(error, at: "a record of \(typeName) in the difference")
        }
    }
}

/// The net change of one record between a position and now, with its Swift type.
public struct Difference<R: Record>: Equatable, Sendable {
    /// The record's id.
    public let id: R.ID
    /// The current record; nil if it was deleted, or does not meet the requested condition.
    public let row: R?
    /// The current state of the record.
    public let state: DifferenceEntry.State
    /// The state under the id at the position.
    public let before: DifferenceEntry.Before
    /// The kind of change that leads from the earlier state to the current one; nil as for ``DifferenceEntry/kind``.
    public let kind: ChangeKind?
}
