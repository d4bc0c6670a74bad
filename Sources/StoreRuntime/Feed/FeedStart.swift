public import StoreEngine

/// Where a reader of the feed begins.
public struct FeedStart: Sendable {
    enum Point: Sendable {
        case oldest
        case newest
        case after(Position)
        case afterSequence(UInt64)
    }

    let point: Point

    /// Begins with the oldest retained change set.
    public static let oldest = FeedStart(point: .oldest)

    /// Begins with the next commit, and delivers nothing that the feed already holds.
    public static let newest = FeedStart(point: .newest)

    /// Begins after a position.
    public static func after(_ position: Position) -> FeedStart { FeedStart(point: .after(position)) }

    /// Begins after the change set with this sequence number.
    ///
    /// A number alone does not identify the store and its history. Keep a ``Position`` where that matters.
    public static func after(sequence: UInt64) -> FeedStart { FeedStart(point: .afterSequence(sequence)) }

    /// Returns the position in a snapshot of the store.
    func position(in scope: ReadContext) throws(StoreError) -> Position {
        switch point {
        case .oldest: return try scope.oldestPosition()
        case .newest: return try scope.feedPosition()
        case .after(let position):
            try scope.requireResumable(position)
            return position
        case .afterSequence(let sequence): return try scope.position(at: sequence)
        }
    }
}
