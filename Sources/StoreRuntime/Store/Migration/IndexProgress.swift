/// The progress of building an index.
public struct IndexProgress: Hashable, Sendable {
    /// The record type's name.
    public let type: String
    /// The indexed fields' names.
    public let fields: [String]
    /// The number of records that already have their index entries.
    public let doneCount: Int
    /// The number of records of the type.
    public let totalCount: Int
    /// Whether the index is ready.
    public let isComplete: Bool
}
