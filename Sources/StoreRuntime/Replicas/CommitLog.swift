import LMDB
import StoreEngine

/// A log outside of the store that orders its commits with those of other stores, its replicas.
///
/// The store calls it in a write transaction, on the thread that writes. It may block.
package protocol CommitLog: AnyObject, Sendable {
    /// Appends the change sets of a transaction that is about to commit.
    ///
    /// - Parameters:
    ///   - entry: the change sets and the assigned ids.
    ///   - replica: the replica state, which the last append or ``catchUp()`` has given; nil before the first. The store keeps it in its
    ///     metadata and does not read it.
    /// - Returns: the replica state after this commit.
    /// - Throws: ``CommitLogIsAhead`` if the log has entries that the store has not applied. The store then aborts the transaction,
    ///   calls ``catchUp()``, and runs it again. Any other error aborts the transaction, and its writes fail with it.
    func append(_ entry: LoggedEntry, after replica: [UInt8]?) throws -> [UInt8]

    /// Applies the entries of the log that the store lacks. Called on the writer thread, between transactions.
    func catchUp() throws

    /// The transaction of the last append is committed.
    func committed()

    /// The store is closed.
    func stop()
}

/// The log has entries that the store has not applied.
package struct CommitLogIsAhead: Error {
    package init() {}
}

extension CommitLog {
    /// Appends what a transaction has written, and notes that in the transaction.
    ///
    /// - Returns: whether there was anything to append.
    /// - Throws: ``CommitLogIsAhead`` and other errors, as ``append(_:after:)``.
    func order(
        after first: UInt64, to head: FeedHead, assigned: [UInt32: UInt64] = [:], _ databases: StoreDatabases,
        _ raw: inout LMDBWriteTransaction
    ) throws -> Bool {
        let entry = try LoggedEntry(after: first, to: head, assigned: assigned, databases, raw.snapshot)
        if entry.isEmpty { return false }
        let replica = try append(entry, after: StoreFormat.replica(databases, raw.snapshot))
        try StoreFormat.writeReplica(replica, databases, &raw)
        return true
    }
}
