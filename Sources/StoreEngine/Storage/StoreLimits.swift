/// What a store refuses to take. All limits are checked before anything is written.
public struct StoreLimits: Hashable, Sendable {
    /// The longest record, in bytes as encoded.
    public var recordByteCount = 16 << 20
    /// The most memory that the change set of one write closure may take, in bytes.
    public var changeSetByteCount = 2 << 30
    /// The most write closures that may wait.
    public var queuedWrites = 65_536
    /// The most write closures that commit together.
    public var batchedWrites = 1_024
    /// The most retained change sets; older ones leave the feed. At least 1.
    public var retainedChangeSets = 10_000

    /// The standard limits.
    public init() {}
}
