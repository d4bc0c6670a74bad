import LMDB
import StoreEngine
import Synchronization

/// Decides when change sets leave the feed, and when it is looked at which consumers have expired.
///
/// Life: that of the store. Its steps are tasks of the writer thread, which does none after its end.
/// - `isTrimming` rises when a step is asked for, and falls when it was made.
/// - `heldUntil` and `walk` are used by the writer thread and by callers that work for it.
/// - `expiryWatch` is held while consumers are looked at.
final class RetentionSchedule: Sendable {
    private let environment: LMDBEnvironment
    private let catalog: KnownCatalog
    private let dispatcher: Dispatcher
    private let options: StoreOptions
    /// Nil for a store that is only read: other processes trim its feed.
    private let writer: WriterThread?
    /// Whether a step of retention waits or runs.
    private let isTrimming = Atomic(false)
    private let heldUntil = Atomic<UInt64>(0)
    /// Where the last step was in a large change set.
    private let walk = HandoverMutex<FeedWalk?>(nil)
    /// Which consumers are told to have expired.
    private let expiryWatch = HandoverMutex(ExpiryWatch())

    init(
        _ environment: LMDBEnvironment, _ catalog: KnownCatalog, _ dispatcher: Dispatcher, options: StoreOptions,
        writer: WriterThread?
    ) {
        self.environment = environment
        self.catalog = catalog
        self.dispatcher = dispatcher
        self.options = options
        self.writer = writer
    }

    /// The position up to which consumers keep what the feed has, as the last step found: until then no commit is followed by a
    /// step, and none looks at consumers.
    var feedHeldUntil: UInt64 { heldUntil.load(ordering: .relaxed) }

    /// Has a step made soon, between commits, and further ones while there is more to remove.
    func trim() {
        guard let writer, !isTrimming.exchange(true, ordering: .acquiringAndReleasing) else { return }
        writer.post { [weak self] in
            guard let self else { return }
            // What fails now is tried again after a later commit.
            let hasMore = (try? step()) ?? false
            isTrimming.store(false, ordering: .releasing)
            if hasMore { trim() } else { tellExpired() }
        }
    }

    /// Has it looked soon whether age or size have change sets leave the feed, and whether consumers have expired, here or by
    /// another process.
    func look() {
        if options.limits.retainedAge != nil || options.limits.retainedFeedByteCount != nil { return trim() }
        if options.onEvent != nil { writer?.post { [weak self] in self?.tellExpired() } }
    }

    /// Removes some change sets that the limits do not retain, in a transaction of its own. On the writer thread.
    ///
    /// - Returns: whether there are more.
    func step() throws -> Bool {
        let state = catalog.state
        // Should the power fail now, they are removed another time.
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite(syncsMeta: false) }
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        // A foreign write is for the next write closure to tell.
        guard head.transactionID == UInt64(raw.snapshot.transactionID) - 1 else { return false }
        // Another program may have given the store a trail: the next write closure takes that over.
        guard try StoreFormat.catalogVersion(state.databases, raw.snapshot) == state.catalog.version else {
            return false
        }
        var walk = walk.withLock { $0.take() }
        let outcome = try FeedRetention(state).step(&head, now: options.clock(), &walk, &raw)
        heldUntil.store(outcome.heldUntil, ordering: .relaxed)
        // A commit waits for the disk.
        guard outcome.didWrite else { return false }
        try head.write(state.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
        self.walk.withLock { $0 = walk }
        if outcome.didExpire { dispatcher.committedAside() }
        return outcome.hasMore
    }

    /// Tells which consumers have expired since this was last looked at.
    private func tellExpired() {
        guard let onEvent = options.onEvent else { return }
        // What cannot be read now is told another time.
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
