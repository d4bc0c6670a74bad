import LMDB
import StoreEngine
import Synchronization

/// Decides when change sets leave the feed, and when to look for expired consumers.
///
/// Life: that of the store. Its steps are tasks of the writer thread, which runs none after its end.
/// - `isTrimming` becomes true when a step is requested, and false when the step was made.
/// - `heldUntil` and `walk` are used by the writer thread, and by callers that run their own write.
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
