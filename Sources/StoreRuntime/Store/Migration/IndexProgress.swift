/// How far the building of an index is.
public struct IndexProgress: Hashable, Sendable {
    /// The record type's name.
    public let type: String
    /// The indexed fields' names.
    public let fields: [String]
    /// The records that have their entries.
    public let doneCount: Int
    /// All records of the type.
    public let totalCount: Int
    /// Whether the index is ready.
    public let isComplete: Bool
}
