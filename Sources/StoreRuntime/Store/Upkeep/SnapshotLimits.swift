/// When the store reports a snapshot that a reader holds.
///
/// A read transaction of any process keeps its snapshot, also while it waits for something else: a slow reader of its output, a
/// lock, a debugger. Writers cannot reuse the pages that were freed since, so the file grows. The store cannot end a transaction
/// of another process. It reports the process with ``StoreEvent/snapshotHeld(_:)``.
public struct SnapshotLimits: Hashable, Sendable {
    /// How long a reader may hold a snapshot after this process first found a newer commit, at most a century; nil for any time.
    public var age: Duration?
    /// How many commits may be newer than a snapshot, from 0 to 2^46; nil for any number.
    public var commitCount: Int?
    /// How many bytes of freed pages a snapshot may keep from reuse, from 0 to 2^46; nil for any number. The default is 256 MiB.
    public var byteCount: Int? = 256 << 20

    /// Creates the default limits.
    public init() {}
}

/// A snapshot that a reader holds although there are newer commits.
public struct HeldSnapshot: Hashable, Sendable {
    /// The reader's process, which may be this one.
    public let processID: Int32
    /// How many commits are newer than the snapshot.
    public let commitCount: Int
    /// How many bytes of pages were freed since, and cannot be reused before the reader ends its transaction.
    public let byteCount: Int
    /// How long ago this process first found a newer commit. The reader can have held the snapshot for longer.
    public let age: Duration
}
