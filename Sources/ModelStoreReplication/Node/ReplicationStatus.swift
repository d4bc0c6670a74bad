public import StoreEngine

/// The progress and the state of a replica.
public struct ReplicationStatus: Sendable {
    /// The state of a replica.
    public enum State: Sendable {
        /// It applies the entries that come.
        case following
        /// The log cannot be reached. The replica serves reads, and refuses writes.
        case disconnected(SharedLogError)
        /// The replica and the log contradict each other. The replica serves reads as they were, and refuses writes.
        case stopped(StoreError)
    }

    /// The node's name.
    public let node: String
    /// The newest entry that this replica has applied.
    public internal(set) var applied: LogPosition
    /// The newest entry of the log, as last seen.
    public internal(set) var head: LogPosition
    /// When `head` was last the newest entry for certain; nil before the first answer of the log.
    public internal(set) var confirmed: ContinuousClock.Instant?
    /// The state of the replica.
    public internal(set) var state: State

    /// The entry up to which the newest snapshot has the log, as last seen; nil if there is none.
    public internal(set) var snapshot: LogPosition?
    /// Why this node could last not take a snapshot or remove entries; nil if it could.
    public internal(set) var upkeepError: StoreError?

    /// The number of entries that the log has and this replica lacks, as last seen.
    public var lag: UInt64 { applied.entryCount(to: head) }

    /// Notes whether the log can be reached. A replica that has stopped stays so.
    mutating func setConnection(_ connection: State) {
        if case .stopped = state { return }
        state = connection
    }
}
