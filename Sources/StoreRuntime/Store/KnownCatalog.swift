import LMDB
import StoreEngine
import Synchronization

/// The catalog of a store as this process knows it. It begins the store's read transactions.
///
/// Life: created once the store is open, and ends with it.
/// - `known` is protected by its mutex. The writer thread replaces it, and so does a reader that finds a newer catalog.
/// - `records` is protected by its mutex. Only the holder of `adding` changes it. So when two callers add types at the same time,
///   the second sees the types of the first.
final class KnownCatalog: Sendable {
    private let environment: LMDBEnvironment
    private let options: StoreOptions
    private let notifier: FeedNotifier
    private let known: HandoverMutex<KnownState>
    private let records: HandoverMutex<[any Record.Type]>
    private let adding = HandoverMutex(())

    init(
        _ environment: LMDBEnvironment, options: StoreOptions, state: StoreState, records: [any Record.Type],
        _ notifier: FeedNotifier
    ) {
        self.environment = environment
        self.options = options
        self.notifier = notifier
        known = HandoverMutex(KnownState(state))
        self.records = HandoverMutex(records)
    }

    /// The store's state as this process knows it.
    var state: StoreState { known.withLock { $0.state } }

    /// The record types that this process has declared.
    var declared: [RecordSchema] { records.withLock { $0.map { $0.recordSchema } } }

    // MARK: Reading

    /// Begins a read transaction.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when another program has changed the catalog in a way that this program cannot
    ///   work with.
    func beginRead() throws -> ReadTransaction {
        while true {
            let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
            let known = known.withLock { $0 }
            let version = try known.catalogVersion(in: raw)
            if version == known.state.catalog.version { return ReadTransaction(raw: raw, state: known.state) }
            // If the version is older, this process changed the catalog after the transaction began. Retry with a new
            // transaction.
            if version > known.state.catalog.version { try follow() }
        }
    }

    /// Returns the newest change set, and the id of the newest transaction if a program other than ModelStore made it.
    ///
    /// - Throws: ``StoreError``: `filesRemoved` if the store's files have lost their names; the errors of reading.
    func look() throws -> (sequence: UInt64, foreign: Int?) {
        let transaction = try mapLMDB { () throws(LMDBError) in
            try environment.checkFiles()
            return try environment.beginRead()
        }
        let head = try StoreFormat.head(state.databases, transaction.snapshot)
        let transactionID = transaction.snapshot.transactionID
        return (head.sequence, head.transactionID == UInt64(transactionID) ? nil : transactionID)
    }

    /// Throws `filesRemoved` if this process has found that the store's files have lost their names. A reader that waits for
    /// commits must ask, because the commits of other processes may go to other files.
    func requireFiles() throws(StoreError) {
        try mapLMDB { () throws(LMDBError) in try environment.requireFiles() }
    }

    /// Takes over, for readers, a catalog that another process has changed.
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
        // A catalog change adds a change set to the feed.
        if !options.isReadOnly { noteMovedFeed() }
    }

    /// Notifies readers of the feed after something other than a write closure may have advanced it.
    func noteMovedFeed() { notifier.committed((try? look().sequence) ?? 0, []) }

    /// Changes the catalog. Runs on the writer thread.
    ///
    /// - Parameter usesReserve: whether the change may use the reserve of a store with a greatest size.
    func edit(usesReserve: Bool = true, _ body: (inout CatalogEditor) throws -> Void) throws {
        let all = records.withLock { $0 }
        become(
            try StoreOpening.edit(environment, options: options, records: all, usesReserve: usesReserve, body))
    }

    /// Removes an index that cannot be built, if it is still in the catalog. Runs on the writer thread. The known state stays,
    /// because the new catalog no longer matches the record types that the program declares.
    func removeUnbuilt(index: UInt32, ofType type: UInt32) throws {
        _ = try StoreOpening.edit(environment, options: options, records: []) { editor in
            let found = editor.building.first { $0.type.id == type && $0.index.id == index }
            if let found { try editor.removeUnbuilt(found.index, of: found.type) }
        }
        noteMovedFeed()
    }

    /// Replaces the state after another process has changed the catalog. Runs on the writer thread.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when the store's schema is now newer than this program.
    func reload() throws {
        do {
            try edit { _ in }
        } catch let error as StoreError {
            throw SchemaMismatch.whileRunning(error)
        }
    }

    /// Makes the schema changes of a transaction elsewhere, in one transaction. Runs on the writer thread.
    ///
    /// - Returns: the head of the feed after each change.
    func follow(
        _ changes: ArraySlice<ReplayedWrite>, context: WriteContext, epoch: UInt64
    ) throws -> [FeedHead] {
        let all = records.withLock { $0 }
        var context = context
        context.token = 0
        var heads: [FeedHead] = []
        become(
            try StoreOpening.editOnce(
                environment, options: options, records: all, context: context, epoch: epoch, log: nil
            ) { editor in
                for change in changes {
                    guard case .schema(let type) = change.content else { continue }
                    try editor.follow(type)
                    try change.expected?.require(at: editor.head.sequence, hash: editor.head.hash)
                    heads.append(editor.head)
                }
            })
        return heads
    }

    /// Adds record types to those that this process knows.
    ///
    /// - Parameters:
    ///   - plan: the caller's migration plan. It must have no step to run.
    ///   - perform: runs a closure on the writer thread, so that no other catalog change runs at the same time. Nil for a store
    ///     that is open for reading only.
    ///   - settle: called once the types are known. If it throws, the new types are forgotten.
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
