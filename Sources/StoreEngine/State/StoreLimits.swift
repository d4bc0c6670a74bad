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
    /// The most retained change sets; older ones leave the feed. At least 1. It may hold up to an eighth more for a while.
    public var retainedChangeSets = 10_000
    /// The greatest age of a retained change set, by the writers' clocks; nil for no limit but the others.
    public var retainedAge: Duration?
    /// About the most bytes of the file that the feed takes; nil for no limit but the others. The newest change set is
    /// always retained.
    public var retainedFeedByteCount: Int?
    /// How many records the store remembers that changed in change sets which have left the feed, so that a reader that was away
    /// for longer than those are retained can ask for the difference by record
    /// (``Store/catchUp(since:_:)``). Past it the ones that changed longest ago are forgotten.
    ///
    /// It is kept in the store, for all programs that write to it: nil, the standard, leaves it as it is there (a new store
    /// remembers none), 0 forgets all. About 100 bytes of the file for each record, and its key twice.
    public var changedRecordLimit: Int?

    /// The standard limits.
    public init() {}
}
