/// Why a change cannot be undone: the record is not as the change left it.
public struct ChangeConflict: Hashable, Sendable, CustomStringConvertible {
    /// What became of the record since.
    public enum Reason: Hashable, Sendable {
        /// It was deleted, or is another one with the same id and other fields.
        case gone
        /// There is one again where the change deleted it.
        case exists
        /// These fields, which the change set, were set again; for an insert all that were.
        case changed(fields: [String])
    }

    /// The record type's name.
    public let typeName: String
    /// The record's id, as messages show it.
    public let id: String
    /// The record's id as JSON.
    package let idJSON: JSONValue
    /// What became of it.
    public let reason: Reason

    public var description: String { "\(typeName) \(id) \(reasonText)" }

    /// The reason as messages say it after the record's name.
    package var reasonText: String {
        switch reason {
        case .gone: "is gone"
        case .exists: "is there again"
        case .changed(let fields): "has other values in \(fields.joined(separator: ", "))"
        }
    }
}

/// What happens to a change that cannot be undone.
public enum ConflictRule: Hashable, Sendable {
    /// Nothing is undone, and the error lists the conflicts.
    case fail
    /// It stays, and the others are undone.
    case skip
}
