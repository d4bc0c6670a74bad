import LMDB
import StoreEngine

/// A copy that LMDB has compacted, and so numbered its transactions afresh: it does not show any more whether a program that is
/// not ModelStore wrote to the store after the newest commit of ModelStore in it.
///
/// Its first writer takes it that one did, and begins with a reset, unless the copy says otherwise: by a commit of its own.
struct CompactedCopy {
    let original: StoreCore
    let directory: String

    /// Lets the copy say that its feed tells all, if it does.
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
        if try tellsAll(head) {
            try head.write(databases, in: &raw)
        } else if head.transactionID == UInt64(raw.snapshot.transactionID) - 1 {
            // The copy's only transaction has the number of the original's first. Any other one tells them apart.
            try StoreFormat.writeHome(try StoreFormat.header(databases, raw.snapshot).home, databases, &raw)
        }
        if let failure = raw.commitFailure() { throw failure }
    }

    /// Whether no foreign program can have written between the copy's newest commit of ModelStore and the copying: in the
    /// original the next commit of ModelStore tells of it, or if there is none the newest transaction.
    private func tellsAll(_ head: FeedHead) throws -> Bool {
        let transaction = try original.beginRead()
        let scope = transaction._reading
        let now = try scope.feedHead()
        if now.sequence == head.sequence { return now.transactionID == UInt64(scope.snapshot.transactionID) }
        // Where it is gone from the feed already, nothing is known.
        guard now.oldest <= head.sequence + 1 else { return false }
        var walk = FeedWalk(after: Position(store: scope.state.identity, head: head))
        let next = try walk.read(scope, FeedWalk.Limits(changes: 1))
        return next.first?.changes.first?.kind != .reset
    }
}
