import LMDB
import StoreEngine
import Synchronization

/// The catalog of a store as this process knows it, and the read transactions that are begun by it.
///
/// Life: made once the store is open, ends with it.
/// - `known` is protected by its mutex. The writer thread replaces it, and so does a reader that finds a newer catalog.
/// - `records` is protected by its mutex. Only the holder of `adding` changes it, so that of two callers that add types at the same
///   time each sees what the other added.
final class KnownCatalog: Sendable {
    private let environment: LMDBEnvironment
    private let options: StoreOptions
    private let dispatcher: Dispatcher
    private let known: HandoverMutex<KnownState>
    private let records: HandoverMutex<[any Record.Type]>
    private let adding = HandoverMutex(())

    init(
        _ environment: LMDBEnvironment, options: StoreOptions, state: StoreState, records: [any Record.Type],
        _ dispatcher: Dispatcher
    ) {
        self.environment = environment
        self.options = options
        self.dispatcher = dispatcher
        known = HandoverMutex(KnownState(state))
        self.records = HandoverMutex(records)
    }

    /// The store's state as this process knows it.
    var state: StoreState { known.withLock { $0.state } }

    // MARK: Reading

    /// Begins a read transaction.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when another program has changed the catalog beyond what this one can
    ///   work with.
    func beginRead() throws -> ReadTransaction {
        while true {
            let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
            let known = known.withLock { $0 }
            let version = try known.catalogVersion(in: raw)
            if version == known.state.catalog.version { return ReadTransaction(raw: raw, state: known.state) }
            // An older one: this process changed the catalog after the transaction had begun. Begin anew.
            if version > known.state.catalog.version { try follow() }
        }
    }

    /// The newest change set, and the transaction of a program that is not ModelStore if that wrote after it.
    func look() throws -> (sequence: UInt64, foreign: Int?) {
        let transaction = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        let head = try StoreFormat.head(state.databases, transaction.snapshot)
        let transactionID = transaction.snapshot.transactionID
        return (head.sequence, head.transactionID == UInt64(transactionID) ? nil : transactionID)
    }

    /// Takes over the catalog that another process has changed, for readers.
    private func follow() throws {
        let all = records.withLock { $0 }
        let state: StoreState
        do throws(StoreError) {
            state = try StoreOpening.readOnlyState(environment, options: options, records: all)
        } catch {
            throw SchemaMismatch.whileRunning(error)
        }
        known.withLock { known in
            if known.state.catalog.version < state.catalog.version { known = KnownState(state) }
        }
    }

    // MARK: Changing

    private func become(_ state: StoreState) {
        known.withLock { $0 = KnownState(state) }
        // A change of the catalog is in the feed.
        if !options.isReadOnly { noteMovedFeed() }
    }

    /// Tells readers of the feed that something else than a write closure may have moved it on.
    func noteMovedFeed() { dispatcher.committed((try? look().sequence) ?? 0, []) }

    /// Changes the catalog; on the writer thread.
    func edit(_ body: (inout CatalogEditor) throws -> Void) throws {
        let all = records.withLock { $0 }
        become(try StoreOpening.edit(environment, options: options, records: all, body))
    }

    /// Takes out an index that is being built and cannot be, if it is still there; on the writer thread. The state stays:
    /// what the program declares does not fit any more.
    func removeUnbuilt(index: UInt32, ofType type: UInt32) throws {
        _ = try StoreOpening.edit(environment, options: options, records: []) { editor in
            let found = editor.building.first { $0.type.id == type && $0.index.id == index }
            if let found { try editor.removeUnbuilt(found.index, of: found.type) }
        }
        noteMovedFeed()
    }

    /// Replaces the state after a change of the catalog by another process; on the writer thread.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when this program is older than the store is now.
    func reload() throws {
        do {
            try edit { _ in }
        } catch let error as StoreError {
            throw SchemaMismatch.whileRunning(error)
        }
    }

    /// Makes a record type what a change of the schema says that was made elsewhere; on the writer thread.
    func follow(_ type: RecordType, _ write: ReplayedWrite) throws {
        let all = records.withLock { $0 }
        var context = write.context
        context.token = 0
        become(
            try StoreOpening.edit(environment, options: options, records: all, context: context, epoch: write.epoch) {
                try $0.follow(type)
            })
    }

    /// Makes further record types known.
    ///
    /// - Parameters:
    ///   - plan: the migration plan of the caller, which must have no step to run.
    ///   - perform: runs a closure on the writer thread, so that it cannot cross with another change of the catalog; nil where the
    ///     store is only read.
    ///   - settle: is called when the types are known. Where it fails they are forgotten.
    func add(
        _ more: [any Record.Type], plan: MigrationPlan?,
        perform: ((@escaping @Sendable () throws -> Void) throws -> Void)?, settle: () throws -> Void
    ) throws {
        try adding.withLock { _ in
            let before = records.withLock { $0 }
            let names = Set(before.map { ObjectIdentifier($0) })
            let all = before + more.filter { !names.contains(ObjectIdentifier($0)) }
            if all.count == before.count, plan == nil { return }
            guard let perform else {
                become(try StoreOpening.readOnlyState(environment, options: options, records: all))
                return records.withLock { $0 = all }
            }
            try perform {
                var options = self.options
                if let plan { options.migrations = plan }
                self.become(
                    try StoreOpening.writableState(self.environment, options: options, records: all, isShared: true))
                self.records.withLock { $0 = all }
            }
            do {
                try settle()
            } catch {
                records.withLock { $0 = before }
                throw error
            }
        }
    }
}
