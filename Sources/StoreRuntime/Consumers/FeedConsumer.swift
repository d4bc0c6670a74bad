import LMDB
public import StoreEngine

/// A named reader of the feed whose position is kept in the store, held by this process alone until it is let go.
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
/// What is written in the transaction of the acknowledgement happens exactly once. ``Store/consume(_:_:_:)-(_,_,(ChangeSet,WriteTransaction)->Void)``
/// does all of this.
public final class FeedConsumer: Sendable {
    /// Its name in the store.
    public let name: String
    let store: Store
    let generation: UInt64
    /// The byte of the wake file that stands for it.
    private let number: UInt32
    let options: ConsumerOptions
    /// How far it may hold back retention, as the store has it.
    let lease: RetentionLease
    /// Where it was when it was taken.
    public let firstPosition: Position
    // Held for as long as this object is there, or until it lets go.
    private let hold: HandoverMutex<ExclusiveByte?>

    init(
        _ name: String, _ store: Store, _ state: ConsumerState, options: ConsumerOptions, hold: ExclusiveByte
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

    /// The change sets after its position, without those that were written along with an acknowledgement of it, by whichever
    /// program.
    public var changes: ChangeFeed {
        ChangeFeed(store: store, start: .after(firstPosition), options: feedOptions, skippedConsumer: name)
    }

    /// Notes in a write transaction that everything up to a change set was dealt with.
    ///
    /// Does nothing for a part that is not the last of its change set. It makes no change set of its own.
    ///
    /// - Throws: ``StoreError``: `consumerLost` when somebody else has taken the consumer over, or the change set was
    ///   acknowledged before; `consumerExpired`; `consumerNotFound`; `positionOfAnotherStore` for a change set of another store. The
    ///   write cannot be committed then.
    public func acknowledge(_ changeSet: ChangeSet, in transaction: inout WriteTransaction) throws(StoreError) {
        guard changeSet.isLastPart else { return }
        try transaction.acknowledge(name, generation: generation, to: changeSet.position)
    }

    /// Notes that everything up to a change set was dealt with, in a transaction of its own.
    ///
    /// - Throws: ``StoreError`` as ``acknowledge(_:in:)`` and `write`.
    public func acknowledge(_ changeSet: ChangeSet) async throws {
        guard changeSet.isLastPart else { return }
        try await acknowledge(changeSet.position)
    }

    /// Notes that everything up to a position was dealt with.
    ///
    /// - Parameter skipped: how many change sets of these were left out.
    func acknowledge(_ position: Position, skipped: Int = 0) async throws {
        let (name, generation) = (name, generation)
        _ = try await store.write { tx in
            try tx.acknowledge(name, generation: generation, to: position, skipped: skipped)
        }
    }

    /// Lets others take the consumer, whoever still has this object.
    func letGo() { hold.withLock { $0 = nil } }

    /// Where it is now.
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

    /// Whether change sets that it has not seen are not retained any longer; false where that cannot be told.
    var hasExpired: Bool { (try? store.readConsumer(name))?.isExpired ?? false }

    /// Whether a program waits for it to note how far it is (``Store/wait(forConsumer:toPass:)``).
    var isAwaited: Bool {
        guard let wakeFile = store.core.dispatcher.wakeFile else { return false }
        return (try? SharedByte.isSet(number, of: wakeFile)) ?? false
    }

    var feedOptions: FeedOptions {
        var feed = options.feed
        feed.mergesPending = false
        feed.reportsProgress = false
        return feed
    }
}
