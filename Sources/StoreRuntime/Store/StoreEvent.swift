public import StoreEngine

/// What happens to a store in this process, for logs and metrics.
public enum StoreEvent: Sendable {
    /// Write closures were committed.
    case committed(CommitReport)
    /// Write closures were not committed though they themselves did not fail, or it is not known whether they were. Closures that
    /// did not begin within their timeout are not reported.
    case commitFailed(closureCount: Int, error: any Error)
    /// The map was full and has this size now; what did not fit runs again.
    case mapGrew(byteCount: Int)
    /// A write has waited for a second because another process holds the writers' lock; it goes on waiting. Once for each
    /// wait. Without ``StoreOptions/onEvent`` the store writes this to standard error.
    ///
    /// The process id is nil if the store cannot find it, for example in another pid namespace.
    case writerBlocked(processID: Int32?, waited: Duration)
    /// A program that is not ModelStore has written; what it did is not in the feed, which tells so by the change set of this
    /// number.
    case foreignWrite(sequence: UInt64)
    /// A consumer is so far behind that change sets it has not seen are not retained for it any longer. Every process that has the
    /// store open for writing tells this, whichever has removed them: once for each time that a consumer expires, within the
    /// half minute between two looks.
    case consumerExpired(name: String, position: Position)
    /// Models and live queries have ended with this error: another program has changed the schema beyond what this one can read
    /// (`schemaMismatch`), or the store's catalog is damaged (`damaged`).
    case observationFailed(error: StoreError)
}

/// What one commit came to.
public struct CommitReport: Hashable, Sendable {
    /// The newest position after it.
    public let position: Position
    /// How many write closures it holds. At least 1.
    public let closureCount: Int
    /// How many others of the batch threw and were undone.
    public let failedClosureCount: Int
    /// How many change sets it added to the feed: none when its closures changed no records.
    public let changeSetCount: Int
    /// How many changes these hold.
    public let changeCount: Int
    /// The time from taking the closures from the queue until their commit was as durable as asked for.
    public let duration: Duration
}
