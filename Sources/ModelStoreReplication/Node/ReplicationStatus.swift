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
    /// How much of the room of the log's engine is in use, as last seen; nil before the first look.
    public internal(set) var logUsage: LogUsage?
    /// Why this node could last not take a snapshot or remove entries; nil if it could.
    public internal(set) var upkeepError: StoreError?

    /// The number of entries that the log has and this replica lacks, as last seen.
    public var lag: UInt64 { applied.entryCount(to: head) }

    /// When a call of the log last failed.
    private var lost: ContinuousClock.Instant?

    init(node: String, applied: LogPosition, head: LogPosition, state: State) {
        (self.node, self.applied, self.head, self.state) = (node, applied, head, state)
    }

    /// Notes an answer of the log. An answer to a call from before the last failure says nothing about the log now. A replica
    /// that has stopped stays so.
    mutating func noteAnswer(calledAt call: ContinuousClock.Instant) {
        if case .stopped = state { return }
        if let lost, call < lost { return }
        state = .following
    }

    /// Notes that a call of the log has failed. A replica that has stopped stays so.
    mutating func noteFailure(_ error: SharedLogError) {
        lost = .now
        if case .stopped = state { return }
        state = .disconnected(error)
    }
}
