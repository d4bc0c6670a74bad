import LMDB
public import StoreEngine

/// How much of a store's means is in use.
public struct StoreUsage: Hashable, Sendable {
    /// The greatest size of the store in bytes before it has to grow.
    public let mapByteCount: Int
    /// How far into the map there is data, in bytes. Pages that are free within count too.
    public let usedByteCount: Int
    /// How many read transactions are open, in all processes.
    public let readerCount: Int
    /// How many commits were made since the oldest snapshot that a read transaction holds; 0 when none holds an older one.
    /// Pages that were freed since are not used again before that transaction ends.
    public let oldestReaderAge: Int
    /// How many write closures of this process wait in the queue.
    public let queuedWriteCount: Int
}

extension Store {
    /// How much of the store's means is in use now. Takes time by the number of readers alone.
    ///
    /// - Throws: ``StoreError``.
    public func usage() throws(StoreError) -> StoreUsage {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in
            // Before the newest commit is asked for, so that no snapshot is newer than that.
            let snapshots = try core.environment.readers().compactMap(\.transactionID)
            let info = try core.environment.info()
            return StoreUsage(
                mapByteCount: info.mapSize, usedByteCount: (info.lastPage + 1) * info.pageSize,
                readerCount: snapshots.count,
                oldestReaderAge: snapshots.min().map { info.lastTransactionID - $0 } ?? 0,
                queuedWriteCount: core.waitingCount)
        }
    }
}
