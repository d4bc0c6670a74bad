import LMDB
import StoreEngine

/// Detects commits by programs other than ModelStore (any LMDB client), which write no feed.
enum ForeignWrites {
    /// The error of a replica with such a commit, which the other replicas do not have.
    static let inReplica = StoreError(
        .replicaDiverged, "another program has written to the files of this replica without its log",
        remedy: "keep this directory to find the cause, and let the replica join again in an empty directory")

    /// Appends a reset entry if a foreign program has committed since the head was written. Every commit of ModelStore leaves its
    /// LMDB transaction id in the head, so another id reveals a foreign commit.
    ///
    /// - Returns: whether it appended one.
    static func note(
        _ head: inout FeedHead, _ databases: StoreDatabases, _ context: WriteContext, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Bool {
        // A write transaction's id is the id of the last commit plus one.
        let lastCommit = UInt64(raw.snapshot.transactionID) - 1
        guard head.transactionID != lastCommit else { return false }
        head = try FeedHousekeeping.append(.reset, type: .max, description: [], head, databases, context, &raw)
        return true
    }
}
