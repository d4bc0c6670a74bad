import LMDB
public import StoreEngine

/// A store as it was at an earlier position: a read-only view for any number of reads.
///
/// The object keeps the changes since that position in memory, and holds no LMDB snapshot open. Each read opens its own snapshot,
/// and first looks up the commits since the last read. The object needs only the change sets since its last read, so regular
/// reads let it outlive the retention of its position.
///
/// It can be used from any thread and task, and by several at once.
public final class StoreSnapshot: Sendable {
    /// The earlier position.
    public let position: Position
    private let store: Store
    /// The newest state that concurrent reads have found, protected by its mutex.
    private let state: HandoverMutex<PastState>

    init(store: Store, _ state: PastState) {
        self.store = store
        position = state.position
        self.state = HandoverMutex(state)
    }

    /// The memory that the changes between the position and the last read take, in bytes.
    public var memoryByteCount: Int { state.withLock { $0.overlay.byteCount } }

    /// The names of the record types that were added or changed since the position. A changed type has its current fields and
    /// indexes, also for the earlier records. A type that was added later has no records.
    public var changedTypes: [String] { state.withLock { $0.changedTypes } }

    /// Runs `body` in a read transaction at the earlier position.
    ///
    /// `body` runs on the calling thread and must not block for long, as with ``Store/read(_:)``.
    ///
    /// - Throws: the errors of `body`; ``StoreError`` with one of these codes:
    ///   - `positionCompacted`: the change sets since the last read are not retained any more. If the schema was changed, the
    ///     change sets since the position are needed.
    ///   - `historyUnavailable`: a program that is not ModelStore has written since, or a migration has replaced the records of a
    ///     type.
    ///   - `closed` and others.
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
            let head = try transaction._reading.completeHead().sequence
            // Another thread has read a newer snapshot meanwhile: retry with a snapshot that is at least as new.
            if known.head.sequence > head { continue }
            let current = try update(known, transaction, head: head)
            transaction.show(current)
            return transaction
        }
    }

    /// Returns the known state, extended to the snapshot of a transaction.
    private func update(
        _ known: PastState, _ transaction: borrowing ReadTransaction, head: UInt64
    ) throws(StoreError) -> PastState {
        let scope = transaction._reading
        let isSameCatalog = scope.catalog.version == known.catalogVersion
        if isSameCatalog, known.head.sequence == head { return known }
        // Index entries depend on the catalog, so a new catalog needs a new state.
        let newer = isSameCatalog ? try known.extended(scope) : try PastState(at: position, scope)
        state.withLock { state in
            if state.head.sequence < newer.head.sequence || state.catalogVersion < newer.catalogVersion {
                state = newer
            }
        }
        return newer
    }
}
