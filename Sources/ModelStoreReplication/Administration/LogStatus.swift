public import Foundation

/// The state of a log, as all its nodes have told it.
public struct LogStatus: Sendable {
    /// A node of the log.
    public struct Member: Sendable, Hashable {
        /// The node's name.
        public let node: String
        /// The newest entry that the node has told the log it has applied. It tells this every ten seconds.
        public let applied: LogPosition
        /// The sum of the hashes of its records there, in hexadecimal digits; nil if the node does not know it.
        public let recordSum: String?
    }

    /// The newest entry.
    public let head: LogPosition
    /// The newest entry that was removed.
    public let floor: LogPosition
    /// The entry up to which the newest snapshot has the log; nil if there is none.
    public let snapshot: LogPosition?
    /// When the newest snapshot was taken.
    public let snapshotTime: Date?
    /// How much of the engine's room is in use.
    public let usage: LogUsage
    /// The nodes that the log has heard of within a day, in the order of their names.
    public let members: [Member]

    /// Whether nothing was ever appended to the log.
    public var isEmpty: Bool { head.index == 0 }

    /// Whether a generation has begun, and no node can join it yet.
    var isWithoutSnapshot: Bool { head == floor && snapshot?.generation != head.generation }
}

/// The place of a replica in its log.
public struct ReplicaStatus: Sendable {
    /// The newest entry that the replica has applied.
    public let applied: LogPosition
    /// The newest entry of the log.
    public let head: LogPosition
    /// Why the log cannot continue the replica; nil if it can.
    public let stop: SharedLogError?

    /// The number of entries that the log has and the replica lacks.
    public var lag: UInt64 { applied.entryCount(to: head) }
}

/// The result of reading all records of a replica.
public struct ReplicaVerification: Sendable {
    /// The newest entry that the replica has applied.
    public let applied: LogPosition
    /// The sum of the hashes of its records, in hexadecimal digits.
    public let recordSum: String
    /// The sum that the records have according to the log; nil after a change of the schema, until the next write.
    public let loggedSum: String?
    /// The nodes that have told the log that they have these records after the same entry. Nodes at other entries are not
    /// compared.
    public let equalNodes: [String]
    /// The nodes that have told the log that they have other records after the same entry.
    public let otherNodes: [String]
    /// Why the log cannot continue the replica; nil if it can.
    public let stop: SharedLogError?

    /// Whether the records are those that the log has given the replica.
    public var isSound: Bool { loggedSum == nil || loggedSum == recordSum }
}
