public import StoreEngine

/// A delivery of a live query: the results at a position, and how they differ from the results delivered before.
public struct LiveUpdate<R: Record>: Sendable {
    /// The results.
    public let results: LiveRecords<R>
    /// The changes from the results of the previous update. The update after an error is a reset, and so is the first update,
    /// unless it continues from an earlier position. Empty if only the version of the record type changed.
    public let changes: LiveChanges<R>
    /// The position of the step that produced the results.
    public let position: Position
}
