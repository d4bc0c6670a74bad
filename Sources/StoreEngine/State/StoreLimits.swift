/// The limits of a store: the writes that it accepts, and the change sets that it retains. A write that exceeds a limit fails
/// before anything is committed.
public struct StoreLimits: Hashable, Sendable {
    /// The maximum length of an encoded record, in bytes. From 1 to 2 GiB.
    public var recordByteCount = 16 << 20
    /// The maximum memory for the change set of one write closure, in bytes. From 1 to 64 TiB.
    public var changeSetByteCount = 2 << 30
    /// The maximum number of waiting write closures. From 1 to 16,777,216.
    public var queuedWrites = 65_536
    /// The maximum number of write closures in one commit. From 1 to 65,536.
    public var batchedWrites = 1_024
    /// The maximum number of retained change sets, from 1 to 2^46. Older ones leave the feed. The feed may temporarily contain up
    /// to an eighth more.
    public var retainedChangeSets = 10_000
    /// The maximum age of a retained change set, by the writers' clocks, at most a century. If it is nil, only the other limits
    /// apply.
    public var retainedAge: Duration?
    /// About the maximum number of bytes of the file that the feed takes, up to 64 TiB. If it is nil, only the other limits
    /// apply. The store always retains the newest change set.
    public var retainedFeedByteCount: Int?
    /// The number of records that the store remembers after their change sets have left the feed.
    ///
    /// A reader that was away for longer than change sets are retained can then request the difference by record
    /// (``Store/catchUp(since:_:)``). Beyond this number, the store forgets the records that changed longest ago.
    ///
    /// The store saves this number, and it applies to all programs that write to the store. Nil, the default, keeps the saved
    /// number; a new store remembers no records. 0 forgets all records, and 2^40 is the most. Each record takes about 100 bytes
    /// of the file, plus twice the length of its key.
    public var changedRecordLimit: Int?

    /// Creates the default limits.
    public init() {}
}
