/// How a store is kept equal to its replicas on other nodes.
public struct Replication: Sendable {
    let log: any SharedLog
    let node: String
    /// Whether the replica applies entries by itself. Tests with a schedule of their own call ``Replicator/follow()``.
    package var followsByItself = true

    /// Replicates a store through a log.
    ///
    /// - Parameters:
    ///   - log: the log that all replicas share.
    ///   - node: the name of this node, in at most 255 bytes. Entries carry it.
    public static func shared(_ log: any SharedLog, node: String) -> Replication {
        Replication(log: log, node: node)
    }
}
