package import LMDB
package import StoreEngine

/// The readers of a store at one moment.
package struct ReaderReport: Sendable {
    /// The slots of the reader table that are in use.
    package let readers: [LMDBReader]
    /// The number of the newest commit.
    package let newest: Int
    /// The state of the feed; nil if it cannot be read, for example because no slot is free.
    package let head: FeedHead?
    /// How many slots of processes that no longer exist were freed first.
    package let clearedCount: Int

    /// Reads the reader table of the store in a directory, while other processes use it. Needs no free slot.
    ///
    /// - Parameters:
    ///   - options: the longest wait for another process that opens or recovers the store (`writeTimeout`), and the
    ///     receiver of events (`onEvent`).
    ///   - clearsStale: whether to free the slots of processes that no longer exist.
    /// - Throws: ``StoreError``: `noSuchStore`, `notAStore` and the errors of opening an environment.
    package init(at path: String, options: StoreOptions, clearsStale: Bool) throws(StoreError) {
        do {
            self = try Store.withEnvironment(at: path, options) { environment throws(StoreError) in
                try ReaderReport(environment, clearsStale: clearsStale, readsHead: true)
            }
        } catch let error where error.code == .tooManyReaders {
            self = try Store.withEnvironment(at: path, options, readsPages: false) { environment throws(StoreError) in
                try ReaderReport(environment, clearsStale: clearsStale, readsHead: false)
            }
        }
    }

    private init(_ environment: LMDBEnvironment, clearsStale: Bool, readsHead: Bool) throws(StoreError) {
        (clearedCount, readers, newest) = try mapLMDB { () throws(LMDBError) in
            let cleared = clearsStale ? try environment.clearStaleReaders() : 0
            // Read before the newest commit, so that no snapshot is newer than that commit.
            let readers = try environment.readers()
            return (cleared, readers, try environment.info().lastTransactionID)
        }
        head = readsHead ? try? Self.head(environment) : nil
    }

    private static func head(_ environment: LMDBEnvironment) throws -> FeedHead? {
        let transaction = try environment.beginRead()
        guard let databases = try StoreFormat.openDatabases(transaction.snapshot) else { return nil }
        return try StoreFormat.head(databases, transaction.snapshot)
    }
}
