/// A change that cannot be undone: its record has changed since, or the store would no longer keep a rule.
public struct ChangeConflict: Hashable, Sendable, CustomStringConvertible {
    /// Why the change cannot be undone.
    public enum Reason: Hashable, Sendable {
        /// The record was deleted, or another record with the same id and different field values replaced it.
        case gone
        /// The change deleted the record, and a record with its id exists again.
        case exists
        /// These fields no longer have the values that the change gave them. For an update, only fields that the change set are
        /// compared; for an insert, all fields are.
        case changed(fields: [String])
        /// Undoing the change would break a rule. The code says which:
        ///
        /// - `uniqueViolation`: another record has the unique value now.
        /// - `referenceBroken`: the record refers to a record that no longer exists.
        /// - `deleteDenied`: other records refer to the inserted record.
        /// - `valueDoesNotFit`: the type has no place for the earlier record any more.
        /// - `unknownType`: a migration has replaced the type of the record.
        /// - `schemaMismatch`: the change is one of the schema.
        /// - `historyUnavailable`: another program made the change, and the feed does not describe it.
        case refused(StoreError.Code, message: String)
    }

    /// The record type's name.
    public let typeName: String
    /// The record's id, as shown in messages.
    public let id: String
    /// The record's id as JSON.
    package let idJSON: JSONValue
    /// Why the change cannot be undone.
    public let reason: Reason

    public var description: String { id.isEmpty ? "\(typeName) \(reasonText)" : "\(typeName) \(id) \(reasonText)" }

    /// The reason as the predicate of a message, after the record's name.
    package var reasonText: String {
        switch reason {
        case .gone: "no longer exists"
        case .exists: "exists again"
        case .changed(let fields): "has other values in \(fields.joined(separator: ", "))"
        case .refused(_, let message): message
        }
    }
}

/// How undo handles a change that cannot be undone.
public enum ConflictRule: Hashable, Sendable {
    /// Undo changes nothing, and the error lists the conflicts.
    case fail
    /// Undo skips this change, for whatever reason, and undoes the others. To find out which changes these are, undo makes a
    /// trial first, so it takes about twice as long.
    case skip
}
