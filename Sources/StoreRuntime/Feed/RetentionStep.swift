import LMDB
import StoreEngine

/// One step of retention, in a transaction of its own. On the writer thread.
struct RetentionStep {
    let core: StoreCore

    /// Removes some change sets that the limits do not retain.
    ///
    /// - Returns: whether there are more.
    func run() throws -> Bool {
        let state = core.state
        // Should the power fail now, they are removed another time.
        var raw = try mapLMDB { () throws(LMDBError) in try core.environment.beginWrite(syncsMeta: false) }
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        // A foreign write is for the next write closure to tell.
        guard head.transactionID == UInt64(raw.snapshot.transactionID) - 1 else { return false }
        // Another program may have given the store a trail: the next write closure takes that over.
        guard try StoreFormat.catalogVersion(state.databases, raw.snapshot) == state.catalog.version else {
            return false
        }
        var walk = core.trailWalk.withLock { $0.take() }
        let outcome = try FeedRetention(state).step(&head, now: core.options.clock(), &walk, &raw)
        core.holdFeed(until: outcome.heldUntil)
        // A commit waits for the disk.
        guard outcome.didWrite else { return false }
        try head.write(state.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
        core.trailWalk.withLock { $0 = walk }
        if outcome.didExpire { core.dispatcher.committedAside() }
        return outcome.hasMore
    }
}
