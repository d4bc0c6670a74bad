/// How a store is kept equal to its replicas on other nodes.
public struct Replication: Sendable {
    let log: any SharedLog
    let node: String
    let snapshots: (any SnapshotStore)?
    /// Whether this node changes record types although running programs of other nodes cannot use them afterwards.
    ///
    /// Without it, such a change fails with `membersTooOld`. With it, these programs stop with `schemaMismatch`. A node counts as
    /// running for 20 seconds after its end.
    public var stopsOlderPrograms = false
    /// Whether the replica applies entries by itself. Tests with a schedule of their own call ``Replicator/follow()``.
    package var followsByItself = true
    /// Chooses how long the node holds back when it may do so for as long as a duration; nil for a random time, and for none in a
    /// simulated log.
    package var choosePause: (@Sendable (Duration) -> Duration)?
    /// A snapshot is due this many entries after the last one.
    package var entriesPerSnapshot: UInt64 = 100_000
    /// How long the log keeps entries that a snapshot has, in seconds.
    package var retainedSeconds = 3_600.0

    /// Replicates a store through a log that keeps all its entries.
    ///
    /// - Parameters:
    ///   - log: the log that all replicas share.
    ///   - node: the name of this node, in at most 255 bytes. Entries carry it. No two nodes have the same one.
    public static func shared(_ log: any SharedLog, node: String) -> Replication {
        Replication(log: log, node: node, snapshots: nil)
    }

    /// Replicates a store through a log whose old entries are replaced by snapshots.
    ///
    /// A node takes a snapshot after each 100,000 entries. The log keeps the entries of the last hour, and those that a node of
    /// the last day has not applied.
    ///
    /// - Parameters:
    ///   - log: the log that all replicas share.
    ///   - node: the name of this node, in at most 255 bytes. Entries carry it. No two nodes have the same one.
    ///   - snapshots: where snapshots are kept, the same place for all nodes.
    public static func shared(_ log: any SharedLog, node: String, snapshots: some SnapshotStore) -> Replication {
        Replication(log: log, node: node, snapshots: snapshots)
    }

    var upkeep: LogUpkeep {
        LogUpkeep(
            log: log, node: node, snapshots: snapshots, entriesPerSnapshot: entriesPerSnapshot,
            trimRule: TrimRule(retainedSeconds: retainedSeconds))
    }
}
