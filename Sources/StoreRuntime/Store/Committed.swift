public import StoreEngine

/// The result of a write closure together with the position after it.
public struct Committed<Result> {
    /// The result of the closure.
    public let result: Result
    /// The position of the closure's change set. If the closure changed nothing, the newest position that it saw.
    public let position: Position
}

extension Committed: Sendable where Result: Sendable {}

/// A value that a write returns in addition to the result of its closure.
public enum WriteReturn: Sendable {
    /// The position after the write.
    case position
}
