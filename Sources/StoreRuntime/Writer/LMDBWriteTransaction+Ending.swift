import Foundation
import LMDB
import StoreEngine

extension FeedHead {
    /// Trims the feed and writes this head, the last steps before a commit.
    ///
    /// - Parameters:
    ///   - first: the sequence number of the newest change set before the transaction.
    ///   - now: the time to which leases are compared.
    ///   - heldUntil: the position up to which consumers hold back retention.
    mutating func write(
        since first: UInt64, now: Date, heldUntil: UInt64, _ state: StoreState, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        try FeedRetention(state).trimInCommit(
            &self, added: Int(sequence - first), now: now, heldUntil: heldUntil, &raw)
        try write(state.databases, in: &raw)
    }

    /// Writes this head with the id of the transaction, which reveals later commits of foreign programs.
    mutating func write(_ databases: StoreDatabases, in raw: inout LMDBWriteTransaction) throws(StoreError) {
        transactionID = UInt64(raw.snapshot.transactionID)
        try StoreFormat.writeHead(self, databases, &raw)
    }
}

extension LMDBWriteTransaction {
    /// Commits and returns the error if that fails. It does not throw, because Swift 6.3.1 crashes on a transaction that is
    /// consumed inside `do`.
    consuming func commitFailure() -> StoreError? {
        do {
            try commit()
            return nil
        } catch {
            return StoreError(error)
        }
    }
}
