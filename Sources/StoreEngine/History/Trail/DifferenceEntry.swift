/// What became of one record between a position and now, told without the changes in between: an element of a
/// ``FeedDifference``.
///
/// It is no ``RecordChange``: which fields changed, how often, and what they were before is not known any more, nor what a
/// record that is gone held.
public struct DifferenceEntry: Sendable {
    /// How the record is now.
    public enum State: Hashable, Sendable {
        /// It is there; a row comes with it.
        case present
        /// It is gone.
        case absent
        /// It is there and does not meet the condition that was asked for. Whether it did at the position is not known: whoever
        /// keeps those that meet it takes it away, if it is there.
        case unmatched
        /// Not a record: the record type was added or changed. Its rows come in the newest form.
        case schema
        /// Not a record: records of the type, or of all types, changed in a way that the feed does not tell. They are to be read
        /// afresh.
        case reset
    }

    /// What there was under the record's id at the position.
    public enum Before: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// This record; its fields may have been others.
        case same
        /// Another record, which was deleted since; this one was inserted under its id.
        case another
        /// A record or nothing: more than one record has had the id since.
        case unknown
    }

    /// How the record is now.
    public let state: State
    /// What there was at the position. A record that came and went since is told too, as absent after nothing: whoever was
    /// interrupted in the middle of a large change set may have it.
    public let before: Before
    package let typeNumber: UInt32
    package let type: OpenType?
    /// The id as a reference to the record holds it; the row's own where there is one.
    package let id: [UInt8]
    /// The record as it is now, in the form of the newest version.
    package let row: [UInt8]?

    /// The name of the record type; `*` for a reset of all, and its number for a type that a migration has replaced.
    public var typeName: String {
        if let type { return type.name }
        return typeNumber == .max ? "*" : "#\(typeNumber)"
    }

    /// The kind of change that leads from then to now; nil where that is not known, or is not about a record's presence.
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

    /// The record's id as a JSON value; an array where the id has several fields. Nil for a difference that is not of a record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func idJSON() throws(StoreError) -> String? { try idValue().map { JSONWriter.text(of: $0) } }

    /// The record as it is now, as a JSON object; nil where it is not there or not wanted.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func rowJSON() throws(StoreError) -> String? { try rowValue().map { JSONWriter.text(of: $0) } }

    /// The record's id.
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

    /// The record as it is now.
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

/// What became of one record between a position and now, with its Swift type.
public struct Difference<R: Record>: Equatable, Sendable {
    /// The record's id.
    public let id: R.ID
    /// The record as it is now; nil where it is gone, or does not meet the condition that was asked for.
    public let row: R?
    /// How it is now.
    public let state: DifferenceEntry.State
    /// What there was under the id at the position.
    public let before: DifferenceEntry.Before
    /// The kind of change that leads from then to now; nil where that is not known.
    public let kind: ChangeKind?
}
