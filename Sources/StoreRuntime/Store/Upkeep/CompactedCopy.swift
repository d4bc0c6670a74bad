import LMDB
import StoreEngine

/// A copy that LMDB has compacted. Compacting numbers the transactions again, so the copy no longer shows whether a program other
/// than ModelStore wrote to the store after the newest commit of ModelStore.
///
/// The copy's first writer assumes such a write and begins with a reset, unless a commit in the copy says otherwise.
struct CompactedCopy {
    let original: StoreCore
    let directory: String

    /// Notes in the copy that its feed is complete, if it is.
    func settle() throws {
        let mapSize = try mapLMDB { () throws(LMDBError) in try original.environment.info().mapSize }
        let options = LMDBEnvironment.Options(
            mapSize: mapSize, maximumReaders: original.options.maximumReaders,
            maximumDatabases: original.options.maximumDatabases,
            allowsNetworkFileSystem: original.options.allowsNetworkFileSystem, fileMode: original.options.fileMode)
        let copy = try mapLMDB { () throws(LMDBError) in try LMDBEnvironment.open(at: directory, options: options) }
        defer { copy.close() }
        try settle(copy)
    }

    private func settle(_ copy: LMDBEnvironment) throws {
        var raw = try mapLMDB { () throws(LMDBError) in try copy.beginWrite() }
        guard let databases = try StoreFormat.openDatabases(&raw, create: false) else { return }
        var head = try StoreFormat.head(databases, raw.snapshot)
        if try isFeedComplete(head) {
            try head.write(databases, in: &raw)
        } else if head.transactionID == UInt64(raw.snapshot.transactionID) - 1 {
            // The copy's only transaction has the same number as the original's first. A further transaction distinguishes the
            // two.
            try StoreFormat.writeHome(try StoreFormat.header(databases, raw.snapshot).home, databases, &raw)
        }
        if let failure = raw.commitFailure() { throw failure }
    }

    /// Returns whether no foreign program can have written between the copy's newest commit of ModelStore and the copying. In the
    /// original, the next commit of ModelStore reveals such a write. Without one, the newest transaction does.
    private func isFeedComplete(_ head: FeedHead) throws -> Bool {
        let transaction = try original.beginRead()
        let scope = transaction._reading
        let now = try scope.feedHead()
        if now.sequence == head.sequence { return now.transactionID == UInt64(scope.snapshot.transactionID) }
        // If that commit has already left the feed, nothing is known.
        guard now.oldest <= head.sequence + 1 else { return false }
        var walk = FeedWalk(after: Position(store: scope.state.identity, head: head))
        let next = try walk.read(scope, FeedWalk.Limits(changes: 1))
        return next.first?.changes.first?.kind != .reset
    }
}
