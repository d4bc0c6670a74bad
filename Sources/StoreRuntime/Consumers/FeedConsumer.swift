import LMDB
public import StoreEngine

/// A named reader of the feed whose position the store keeps. Only this process holds it, until it is released.
///
/// All nodes of a replicated store have the same consumers. A node that cannot reach the log for ten seconds may lose the
/// consumer to another node. It notices that at its next acknowledgement.
///
/// ```swift
/// let consumer = try await store.holdConsumer("mailer")
/// for try await set in consumer.changes {
///     try await store.write { tx in
///         …
///         try consumer.acknowledge(set, in: &tx)
///     }
/// }
/// ```
///
/// The writes in the transaction of the acknowledgement happen exactly once.
/// ``Store/consume(_:_:_:)-(_,_,(ChangeSet,WriteTransaction)->Void)`` does all of this.
public final class FeedConsumer: Sendable {
    /// The consumer's name in the store.
    public let name: String
    let store: Store
    let generation: UInt64
    /// The number of the byte in the wake file that stands for the consumer.
    private let number: UInt32
    let options: ConsumerOptions
    /// How far the consumer may hold back retention, as the store keeps it.
    let lease: RetentionLease
    /// The consumer's position when this object took it.
    public let firstPosition: Position
    // Held until this object goes away, or until `letGo()`.
    private let hold: HandoverMutex<ConsumerHold?>

    init(
        _ name: String, _ store: Store, _ state: ConsumerState, options: ConsumerOptions, hold: ConsumerHold?
    ) {
        self.name = name
        self.store = store
        self.options = options
        self.hold = HandoverMutex(hold)
        generation = state.generation
        number = state.number
        firstPosition = state.position
        lease = state.lease
    }

    /// The change sets after the consumer's position. Leaves out change sets that contain an acknowledgement of this consumer,
    /// whichever program wrote them.
    public var changes: ChangeFeed {
        ChangeFeed(store: store, start: .after(firstPosition), options: feedOptions, skippedConsumer: name)
    }

    /// Notes in a write transaction that everything up to a change set was handled.
    ///
    /// Does nothing for a part that is not the last of its change set. An acknowledgement makes no change set of its own.
    ///
    /// - Throws: ``StoreError``: `consumerLost` when another holder has taken over the consumer, or the change set was
    ///   acknowledged before; `consumerExpired`; `consumerNotFound`; `positionOfAnotherStore` for a change set of another store.
    ///   The write cannot be committed then.
    public func acknowledge(_ changeSet: ChangeSet, in transaction: inout WriteTransaction) throws(StoreError) {
        guard changeSet.isLastPart else { return }
        try transaction.acknowledge(name, generation: generation, to: changeSet.position)
    }

    /// Notes that everything up to a change set was handled, in a transaction of its own.
    ///
    /// - Throws: ``StoreError`` as ``acknowledge(_:in:)`` and `write`.
    public func acknowledge(_ changeSet: ChangeSet) async throws {
        guard changeSet.isLastPart else { return }
        try await acknowledge(changeSet.position)
    }

    /// Notes that everything up to a position was handled.
    ///
    /// - Parameter skipped: how many of these change sets were skipped.
    func acknowledge(_ position: Position, skipped: Int = 0) async throws {
        let (name, generation) = (name, generation)
        _ = try await store.write { tx in
            try tx.acknowledge(name, generation: generation, to: position, skipped: skipped)
        }
    }

    /// Releases the consumer, even if other references to this object remain.
    func letGo() { hold.withLock { $0 = nil } }

    /// The consumer's current position.
    ///
    /// - Throws: ``StoreError``: `consumerNotFound`.
    public var position: Position {
        get throws {
            guard let state = try store.readConsumer(name) else {
                throw ConsumerState.deleted(name)
            }
            return state.position
        }
    }

    /// Whether the store no longer retains change sets that the consumer has not seen; false if that is unknown.
    var hasExpired: Bool { (try? store.readConsumer(name))?.isExpired ?? false }

    /// Whether a program waits for the consumer to note its position (``Store/wait(forConsumer:toPass:)``).
    var isAwaited: Bool {
        guard let wakeFile = store.core.notifier.wakeFile else { return false }
        return (try? SharedByte.isSet(number, of: wakeFile)) ?? false
    }

    var feedOptions: FeedOptions {
        var feed = options.feed
        feed.mergesPending = false
        feed.reportsProgress = false
        feed.skipsMigrations = !options.includesMigrations
        return feed
    }
}
