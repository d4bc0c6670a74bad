import LMDB
public import StoreEngine

/// How much of its resources a store uses.
public struct StoreUsage: Hashable, Sendable {
    /// The size in bytes that the store can reach before the map has to grow.
    public let mapByteCount: Int
    /// How far into the map there is data, in bytes. Free pages within that range count too.
    public let usedByteCount: Int
    /// The redo log; nil for a store without one.
    public let redoLog: RedoLogUsage?
    /// How many read transactions are open in all processes.
    public let readerCount: Int
    /// How many commits are newer than the oldest snapshot that a read transaction holds; 0 if every snapshot is the newest one.
    /// Pages that were freed since then are not reused before that transaction ends.
    public let oldestReaderAge: Int
    /// How many bytes of pages were freed since that snapshot, and cannot be reused.
    public let oldestReaderByteCount: Int
    /// How many write closures of this process wait in the queue.
    public let queuedWriteCount: Int
}

extension Store {
    /// Returns how much of its resources the store uses now. The time it takes depends only on the number of readers, and on the
    /// number of commits since the oldest of their snapshots.
    ///
    /// - Throws: ``StoreError``.
    public func usage() throws(StoreError) -> StoreUsage {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in
            // Read before the newest commit, so that no snapshot is newer than that commit.
            let readers = try core.environment.readers()
            let snapshots = readers.filter { !$0.isPin }.compactMap(\.transactionID)
            let info = try core.environment.info()
            let oldest = snapshots.min() ?? info.lastTransactionID
            let heldBytes = try core.environment.byteCount(heldBy: oldest, info)
            return StoreUsage(
                mapByteCount: info.mapSize, usedByteCount: (info.lastPage + 1) * info.pageSize,
                redoLog: try RedoLogUsage(core.environment, readers, info), readerCount: snapshots.count,
                oldestReaderAge: Swift.max(info.lastTransactionID - oldest, 0), oldestReaderByteCount: heldBytes,
                queuedWriteCount: core.waitingCount)
        }
    }
}
