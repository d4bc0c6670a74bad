public import Foundation
package import LMDB
import StoreEngine

/// How much a store's redo log has taken since its last checkpoint.
public struct RedoLogUsage: Hashable, Codable, Sendable {
    /// The length of the log since the last checkpoint, in bytes.
    public let byteCount: Int
    /// How many commits are newer than the last checkpoint. After a crash of the system, so many are run again.
    public let checkpointAge: Int
    /// When the last checkpoint was made.
    public let checkpointTime: Date
    /// How many commits are newer than the oldest pin of a process that writes; 0 if there is none. Pages that were freed since
    /// then are not reused before the next checkpoint.
    public let pinAge: Int
    /// How many bytes of pages were freed since then, and cannot be reused.
    public let pinByteCount: Int
    /// How many writes of this process had to wait for a checkpoint since it opened the store, because the log was full or pins
    /// kept too many pages.
    public let checkpointWaitCount: Int

    /// Reads the state of the log; nil if there is none.
    init?(_ environment: LMDBEnvironment) throws(LMDBError) {
        try self.init(environment, environment.readers(), environment.info())
    }

    /// The same for a caller that has read the readers and the sizes.
    package init?(
        _ environment: LMDBEnvironment, _ readers: [LMDBReader], _ info: LMDBInfo
    ) throws(LMDBError) {
        guard let status = try environment.redoStatus() else { return nil }
        byteCount = status.logByteCount
        checkpointAge = max(info.lastTransactionID - Int(status.transaction), 0)
        checkpointTime = Date(timeIntervalSince1970: status.time)
        let oldest = readers.filter(\.isPin).compactMap(\.transactionID).min() ?? info.lastTransactionID
        pinAge = max(info.lastTransactionID - oldest, 0)
        pinByteCount = try environment.byteCount(heldBy: oldest, info)
        checkpointWaitCount = environment.checkpointWaitCount
    }
}

extension RedoLogUsage: CustomStringConvertible {
    public var description: String {
        "\(byteCount) bytes, \(checkpointAge) commits since the checkpoint of \(checkpointTime.iso8601); "
            + "the oldest pin is \(pinAge) commits old and holds \(pinByteCount) bytes"
    }
}
