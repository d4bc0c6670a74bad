public import StoreEngine

/// An event of a store in this process, for logs and metrics.
public enum StoreEvent: Sendable {
    /// Write closures were committed.
    case committed(CommitReport)
    /// Write closures that did not fail themselves were not committed, or the outcome of their commit is unknown. Closures that
    /// did not begin within their timeout are not reported.
    case commitFailed(closureCount: Int, error: any Error)
    /// The map was full and now has this size. The writes that did not fit rerun.
    case mapGrew(byteCount: Int)
    /// A write has waited for one second because another process holds the writers' lock, and it continues to wait. Each wait is
    /// reported once. Without ``StoreOptions/onEvent`` the store writes this event to standard error.
    ///
    /// The process id is nil if the store cannot find it, for example in another pid namespace.
    case writerBlocked(processID: Int32?, waited: Duration)
    /// Another process is recovering the store, and opening the store waits for it. Each opening reports this once, after one
    /// second. Without ``StoreOptions/onEvent`` the store writes this event to standard error.
    case recoveryAwaited(waited: Duration)
    /// Opening the store made missing files of the redo log again, or put aside files that did not belong to its data file. The
    /// text says which. Nothing is lost. Without ``StoreOptions/onEvent`` the store writes this event to standard error.
    case filesMended(String)
    /// A reader holds a snapshot beyond the limits (``StoreOptions/snapshotLimits``), so the file grows. A process that has the
    /// store open for writing looks every half minute. Without ``StoreOptions/onEvent`` the store writes this event to standard
    /// error.
    case snapshotHeld(HeldSnapshot)
    /// The engine of the store's log has more than half of its room in use, or more than four fifths. When the room is used up,
    /// writes fail with `logFull`. A replica looks every ten seconds, and reports each rise once. Without
    /// ``StoreOptions/onEvent`` the store writes this event to standard error.
    case logFilling(byteCount: Int, limit: Int)
    /// This process has opened a store for writing whose format is older than the newest that the store can have. The store
    /// works, without what the newer format brings. Each opening is reported once, unless the process already has the store open.
    /// See ``StoreOptions/upgradesFormat``.
    case olderFormat(found: Int, newest: Int)
    /// A program other than ModelStore has written to the store. The feed lacks its changes, and holds a reset with this sequence
    /// number instead.
    case foreignWrite(sequence: UInt64)
    /// A consumer is so far behind that the store no longer retains change sets that the consumer has not seen.
    ///
    /// Every process that has the store open for writing reports this once each time a consumer expires, whichever process
    /// removed the change sets. A process looks for expired consumers at least every half minute.
    case consumerExpired(name: String, position: Position)
    /// Models and live queries have ended with this error. Another program has changed the schema beyond what this one can read
    /// (`schemaMismatch`), or the store's catalog is damaged (`damaged`).
    case observationFailed(error: StoreError)
}

/// The result of one commit.
public struct CommitReport: Hashable, Sendable {
    /// The newest position after the commit.
    public let position: Position
    /// How many write closures the commit holds. At least 1.
    public let closureCount: Int
    /// How many other closures of the batch threw and were undone.
    public let failedClosureCount: Int
    /// How many change sets the commit added to the feed; 0 if its closures changed no records.
    public let changeSetCount: Int
    /// How many changes these change sets hold.
    public let changeCount: Int
    /// The time from taking the closures from the queue until their commit had the requested durability.
    public let duration: Duration
}
