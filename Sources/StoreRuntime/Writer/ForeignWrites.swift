import LMDB
import StoreEngine

/// Detects commits by programs that are not ModelStore (any LMDB client), which write no feed.
enum ForeignWrites {
    /// Appends a reset entry when a foreign program has committed since the head was written: every commit of ours
    /// leaves its LMDB transaction id in the head.
    ///
    /// - Returns: whether it did.
    static func note(
        _ head: inout FeedHead, _ databases: StoreDatabases, _ context: WriteContext, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Bool {
        // A write transaction's id is that of the last commit plus one.
        let lastCommit = UInt64(raw.snapshot.transactionID) - 1
        guard head.transactionID != lastCommit else { return false }
        head = try FeedHousekeeping.append(.reset, type: .max, description: [], head, databases, context, &raw)
        return true
    }
}
