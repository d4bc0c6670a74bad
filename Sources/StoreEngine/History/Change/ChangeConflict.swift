/// A change that cannot be undone, because its record has changed since.
public struct ChangeConflict: Hashable, Sendable, CustomStringConvertible {
    /// How the record differs from the state that the change left.
    public enum Reason: Hashable, Sendable {
        /// The record was deleted, or another record with the same id and different field values replaced it.
        case gone
        /// The change deleted the record, and a record with its id exists again.
        case exists
        /// These fields no longer have the values that the change gave them. For an update, only fields that the change set are
        /// compared; for an insert, all fields are.
        case changed(fields: [String])
    }

    /// The record type's name.
    public let typeName: String
    /// The record's id, as shown in messages.
    public let id: String
    /// The record's id as JSON.
    package let idJSON: JSONValue
    /// How the record differs from the state that the change left.
    public let reason: Reason

    public var description: String { "\(typeName) \(id) \(reasonText)" }

    /// The reason as the predicate of a message, after the record's name.
    package var reasonText: String {
        switch reason {
        case .gone: "no longer exists"
        case .exists: "exists again"
        case .changed(let fields): "has other values in \(fields.joined(separator: ", "))"
        }
    }
}

/// How undo handles a change that cannot be undone.
public enum ConflictRule: Hashable, Sendable {
    /// Undo changes nothing, and the error lists the conflicts.
    case fail
    /// Undo skips this change and undoes the others.
    case skip
}
