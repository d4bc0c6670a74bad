import LMDB
import StoreEngine
import Synchronization

/// Decides when change sets leave the feed, and when to look for expired consumers.
///
/// Life: that of the store. Its steps are tasks of the writer thread, which runs none after its end.
/// - `isTrimming` becomes true when a step is requested, and false when the step was made.
/// - `heldUntil`, `roomMadeAt` and `walk` are used by the writer thread, and by callers that run their own write.
/// - `expiryWatch` is held while it looks at consumers.
final class RetentionSchedule: Sendable {
    private let environment: LMDBEnvironment
    private let catalog: KnownCatalog
    private let notifier: FeedNotifier
    private let options: StoreOptions
    /// Nil for a store that is open for reading only: other processes trim its feed.
    private let writer: WriterThread?
    /// Whether a step of retention waits or runs.
    private let isTrimming = Atomic(false)
    private let heldUntil = Atomic<UInt64>(0)
    /// The last commit that only made freed pages usable.
    private let roomMadeAt = Atomic(0)
    /// Where the last step stopped inside a large change set.
    private let walk = HandoverMutex<FeedWalk?>(nil)
    /// The expired consumers that were already reported.
    private let expiryWatch = HandoverMutex(ExpiryWatch())

    init(
        _ environment: LMDBEnvironment, _ catalog: KnownCatalog, _ notifier: FeedNotifier, options: StoreOptions,
        writer: WriterThread?
    ) {
        self.environment = environment
        self.catalog = catalog
        self.notifier = notifier
        self.options = options
        self.writer = writer
    }

    /// The position up to which consumers hold back retention, as the last step found. Until then, no commit causes a step, and
    /// no commit looks at consumers.
    var feedHeldUntil: UInt64 { heldUntil.load(ordering: .relaxed) }

    /// Returns whether a step is due after a commit. A store with a greatest size also looks at the bytes of the feed.
    func isDue(_ head: FeedHead, _ state: StoreState) -> Bool {
        if FeedRetention.isDue(head, state) { return true }
        guard environment.hasQuota, let limit = state.limits.retainedFeedByteCount else { return false }
        guard let transaction = try? environment.beginRead(),
            let byteCount = try? FeedRetention.byteCount(state.databases, transaction.snapshot)
        else { return false }
        return byteCount > limit + limit / 16
    }

    /// Requests a step soon, between commits, and further steps while there is more to remove.
    func trim() {
        guard let writer, !isTrimming.exchange(true, ordering: .acquiringAndReleasing) else { return }
        writer.post { [weak self] in
            guard let self else { return }
            // A step that fails is retried after a later commit.
            let hasMore = (try? step()) ?? false
            isTrimming.store(false, ordering: .releasing)
            if hasMore { trim() } else { reportExpired() }
        }
    }

    /// Requests a check soon: whether age or size make change sets leave the feed, and whether consumers have expired, here or by
    /// another process.
    func look() {
        if options.limits.retainedAge != nil || options.limits.retainedFeedByteCount != nil { return trim() }
        if options.onEvent != nil { writer?.post { [weak self] in self?.reportExpired() } }
    }

    /// Removes some change sets that the limits do not retain, in a transaction of its own. Runs on the writer thread.
    ///
    /// - Returns: whether there are more.
    func step() throws -> Bool {
        let state = catalog.state
        // Does not sync the meta page: if the power fails now, a later step removes the change sets.
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite(syncsMeta: false) }
        raw.useReserve()
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        // The next write closure notes a foreign write.
        guard head.transactionID == UInt64(raw.snapshot.transactionID) - 1 else { return false }
        // Another program may have given the store a trail. The next write closure takes it over.
        guard try StoreFormat.catalogVersion(state.databases, raw.snapshot) == state.catalog.version else {
            return false
        }
        var walk = walk.withLock { $0.take() }
        let outcome = try FeedRetention(state).step(&head, now: options.clock(), &walk, &raw)
        heldUntil.store(outcome.heldUntil, ordering: .relaxed)
        // A commit waits for the disk, so a step that wrote nothing does not commit.
        guard outcome.didWrite else { return false }
        try head.write(state.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
        self.walk.withLock { $0 = walk }
        if outcome.didExpire { notifier.committedAside() }
        return outcome.hasMore
    }

    /// Makes freed pages usable after a write found the store full. Runs on the writer thread, or on a caller that runs its own
    /// write.
    ///
    /// The next write may not yet use the pages that the last commit freed, so this makes a commit that changes nothing.
    ///
    /// - Parameter trims: whether the older half of the feed goes too, as far as no lease keeps it. For a write that frees space.
    /// - Returns: whether the write may find more room than before.
    func makeRoom(trims: Bool) -> Bool {
        do {
            // First, because the commits below need pages too.
            guard try releasePages(unlessNewestIs: trims ? -1 : roomMadeAt.load(ordering: .relaxed))
            else { return false }
            let newest = try mapLMDB { () throws(LMDBError) in try environment.info().lastTransactionID }
            if roomMadeAt.load(ordering: .relaxed) == newest {
                guard trims, try advance(trims: true), try releasePages() else { return false }
            }
            // Also after a trim: the pages that it freed are usable only after one more commit.
            _ = try advance(trims: false)
            return try releasePages()
        } catch {
            // The caller has the error of its own write, which says what to do. Another process may have taken the pages for the
            // commits here, and moves its pin with its next write.
            return trims && (error as? StoreError)?.code == .storeFull
        }
    }

    /// Makes the pages usable that only pins of the redo log and dead readers keep.
    ///
    /// - Parameter number: a commit after which there is nothing to gain.
    /// - Returns: false if there is nothing to gain.
    private func releasePages(unlessNewestIs number: Int = -1) throws(StoreError) -> Bool {
        try mapLMDB { () throws(LMDBError) in
            try environment.releasePages()
            return try environment.info().lastTransactionID != number
        }
    }

    /// Makes a commit that only removes change sets, or nothing.
    ///
    /// - Returns: whether it removed some.
    private func advance(trims: Bool) throws -> Bool {
        let state = catalog.state
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite(syncsMeta: false) }
        raw.useReserve()
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        guard head.transactionID == UInt64(raw.snapshot.transactionID) - 1,
            try StoreFormat.catalogVersion(state.databases, raw.snapshot) == state.catalog.version
        else { return false }
        var outcome: FeedRetention.Outcome?
        var walk = walk.withLock { $0.take() }
        if trims {
            let half = try FeedRetention.byteCount(state.databases, raw.snapshot) / 2
            outcome = try FeedRetention(state).step(
                &head, now: options.clock(), feedByteCount: half, &walk, &raw)
        }
        try head.write(state.databases, in: &raw)
        let number = raw.snapshot.transactionID
        if let failure = raw.commitFailure() { throw failure }
        self.walk.withLock { $0 = walk }
        roomMadeAt.store(number, ordering: .relaxed)
        if outcome?.didExpire == true { notifier.committedAside() }
        return outcome?.didRemove ?? false
    }

    /// Reports the consumers that have expired since the last look.
    private func reportExpired() {
        guard let onEvent = options.onEvent else { return }
        // If the consumers cannot be read now, a later look reports them.
        guard let consumers = try? consumers() else { return }
        for consumer in expiryWatch.withLock({ $0.look(at: consumers) }) {
            onEvent(.consumerExpired(name: consumer.name, position: consumer.state.position))
        }
    }

    private func consumers() throws -> [NamedConsumer] {
        let transaction = try catalog.beginRead()
        return try transaction._reading.consumers()
    }
}
