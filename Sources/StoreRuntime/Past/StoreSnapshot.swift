import LMDB
public import StoreEngine

/// A store as it was at an earlier position: a read-only view for any number of reads.
///
/// It keeps in memory what has changed since, and no snapshot: each read has one of its own, and first looks up what was
/// committed since the last one. While it is read now and then, it outlives the retention of its position: what it needs of
/// the feed is only what came after its last read.
///
/// It can be used from any thread and task, by several at once.
public final class StoreSnapshot: Sendable {
    /// The position that it shows.
    public let position: Position
    private let store: Store
    /// What is known, protected by its mutex; the newest of what concurrent reads have found.
    private let state: HandoverMutex<PastState>

    init(store: Store, _ state: PastState) {
        self.store = store
        position = state.position
        self.state = HandoverMutex(state)
    }

    /// The memory that is taken by what has changed between the position and the last read.
    public var memoryByteCount: Int { state.withLock { $0.overlay.byteCount } }

    /// The names of the record types that were added or changed since the position. Their records are shown in the form
    /// that they have now, with today's indexes; of a type that was not there then, there are none.
    public var changedTypes: [String] { state.withLock { $0.changedTypes } }

    /// Runs `body` in a read transaction that shows the position.
    ///
    /// `body` runs on the calling thread and must not wait for long, as that of ``Store/read(_:)``.
    ///
    /// - Throws: what `body` throws; ``StoreError``: `positionCompacted` when change sets since the last read are not
    ///   retained any more, or since the position where the schema was changed; `historyUnavailable` when a program that is not
    ///   ModelStore has written since, or a migration has put other records in the place of a type's; `closed` and others.
    @inlinable
    public func read<T>(_ body: (inout ReadTransaction) throws -> T) throws -> T {
        var transaction = try beginRead()
        return try body(&transaction)
    }

    @usableFromInline
    func beginRead() throws -> ReadTransaction {
        while true {
            var transaction = try store.beginRead()
            let known = state.withLock { $0 }
            let head = try transaction._reading.toldHead().sequence
            // Another thread has read a newer snapshot meanwhile: begin anew, on one that is no older.
            if known.head.sequence > head { continue }
            let current = try update(known, transaction, head: head)
            transaction.show(current)
            return transaction
        }
    }

    /// What is known, brought to the snapshot of a transaction.
    private func update(
        _ known: PastState, _ transaction: borrowing ReadTransaction, head: UInt64
    ) throws(StoreError) -> PastState {
        let scope = transaction._reading
        let isSameCatalog = scope.catalog.version == known.catalogVersion
        if isSameCatalog, known.head.sequence == head { return known }
        // Index entries are made by the catalog.
        let newer = isSameCatalog ? try known.extended(scope) : try PastState(at: position, scope)
        state.withLock { state in
            if state.head.sequence < newer.head.sequence || state.catalogVersion < newer.catalogVersion {
                state = newer
            }
        }
        return newer
    }
}
