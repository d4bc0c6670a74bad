public import StoreEngine

/// What a live query delivers: its results at a position, and how they differ from those delivered before.
public struct LiveUpdate<R: Record>: Sendable {
    /// The results.
    public let results: LiveRecords<R>
    /// What leads to them from the results of the update before; a reset in the first one, and in the one after an error. Nothing where
    /// only the record type is another version of itself.
    public let changes: LiveChanges<R>
    /// The position of the step that made the results.
    public let position: Position
}
