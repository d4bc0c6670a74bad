/// The failures that a write survives once it has returned.
public enum Durability: Hashable, Sendable {
    /// Power loss: the commit is on the disk before the write returns.
    case full
    /// A crash of the program. A power loss may undo the last commits, but the store stays consistent, and no commit survives
    /// without those before it.
    case relaxed
}
