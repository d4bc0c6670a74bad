import Foundation
import LMDB
import StoreEngine

extension FeedHead {
    /// Trims the feed and writes this head, the last steps before a commit.
    ///
    /// - Parameters:
    ///   - first: the newest change set before the transaction.
    ///   - now: the time, by which leases are held against the feed.
    ///   - heldUntil: the position up to which consumers keep what the feed has.
    mutating func write(
        since first: UInt64, now: Date, heldUntil: UInt64, _ state: StoreState, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        try FeedRetention(state).trimInCommit(
            &self, added: Int(sequence - first), now: now, heldUntil: heldUntil, &raw)
        try write(state.databases, in: &raw)
    }

    /// Writes this head with the transaction's number, by which commits of foreign programs are told.
    mutating func write(_ databases: StoreDatabases, in raw: inout LMDBWriteTransaction) throws(StoreError) {
        transactionID = UInt64(raw.snapshot.transactionID)
        try StoreFormat.writeHead(self, databases, &raw)
    }
}

extension LMDBWriteTransaction {
    /// Commits, and returns what kept it from that: Swift 6.3.1 crashes on a transaction that is consumed inside `do`.
    consuming func commitFailure() -> StoreError? {
        do {
            try commit()
            return nil
        } catch {
            return StoreError(error)
        }
    }
}
