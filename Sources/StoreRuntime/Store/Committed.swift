public import StoreEngine

/// What a write returns: its closure's result and the place in the feed after it.
public struct Committed<Result> {
    /// What the closure returned.
    public let result: Result
    /// The position of the closure's change set; when it changed nothing, the newest position it saw.
    public let position: Position
}

extension Committed: Sendable where Result: Sendable {}
