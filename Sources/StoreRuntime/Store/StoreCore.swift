import LMDB
import StoreEngine
import Synchronization

/// The parts of an open store that all `Store`s of one directory share in this process, and how they are put together.
///
/// Life: created by the first open, shared by later ones, and ended by the last close, which drains the writer first. All parts
/// are constant. `writer` is nil for a store that is open for reading only.
final class StoreCore: Sendable {
    let environment: LMDBEnvironment
    let options: StoreOptions
    /// Knows the catalog and begins read transactions.
    let catalog: KnownCatalog
    /// Notifies readers of the feed when it has advanced.
    let notifier: FeedNotifier
    /// The operations of the notifier's threads on the store.
    let access: FeedNotifier.Access
    /// Decides when change sets leave the feed.
    let retention: RetentionSchedule
    /// Holds the store's witness, which receives everything that observers see.
    let witnesses: WitnessStand
    /// Keeps models and live results up to date.
    let dispatcher: Dispatcher
    /// Withdraws write closures that wait too long.
    let deadlines = WriteDeadlines()
    /// Knows which owners and borrowers keep models and other objects alive.
    let ownership: OwnershipRegistry
    private let writer: WriterThread?
    /// Decides when to report a reader that holds a snapshot, and the same for the pins of processes that write, which hold few
    /// pages unless checkpoints fail.
    private let snapshotWatches: HandoverMutex<(readers: SnapshotWatch, pins: SnapshotWatch)>

    /// The filters of the consumers that this process has held, by name, each with the generation in which it held the consumer.
    let heldFilters = HandoverMutex<[String: (generation: UInt64, filters: [FeedFilter])]>([:])

    /// The names of the consumers that this process runs, or waits to run.
    let runConsumers = HandoverMutex<Set<String>>([])

    private init(
        environment: LMDBEnvironment, options: StoreOptions, writer: WriterThread?, state: StoreState,
        records: [any Record.Type]
    ) {
        self.environment = environment
        self.options = options
        self.writer = writer
        var pinLimits = SnapshotLimits()
        pinLimits.byteCount = options.snapshotLimits.byteCount
        snapshotWatches = HandoverMutex((SnapshotWatch(options.snapshotLimits), SnapshotWatch(pinLimits)))
        notifier = FeedNotifier(
            path: environment.path,
            wakeFile: try? WakeFile(in: environment.path, fileMode: options.fileMode, isReadOnly: options.isReadOnly))
        let catalog = KnownCatalog(environment, options: options, state: state, records: records, notifier)
        self.catalog = catalog
        access = FeedNotifier.Access {
            try catalog.look()
        } noteForeignWrite: {
            // A write that changes nothing: its transaction notes the foreign write. Without a writer here, another process has
            // to note it.
            writer?.enqueue(WriteJob(durability: .relaxed, context: Self.context(options)) { _ in })
        }
        retention = RetentionSchedule(environment, catalog, notifier, options: options, writer: writer)
        witnesses = WitnessStand()
        dispatcher = Dispatcher(catalog, notifier, access, witnesses, options: options)
        ownership = OwnershipRegistry(options: options.ownership)
        ownership.follow(dispatcher, path: environment.path) { [weak environment] in
            environment.flatMap { try? RedoLogUsage($0) }
        }
    }

    /// Opens the store in `environment`. Creates it and adds record types as needed.
    static func open(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type]
    ) throws -> StoreCore {
        if options.isReadOnly {
            let state = try StoreOpening.readOnlyState(environment, options: options, records: records)
            return StoreCore(environment: environment, options: options, writer: nil, state: state, records: records)
        }
        let warn = options.warn
        try mapLMDB { () throws(LMDBError) in
            try environment.reportWriterWaits(after: options.writerBlockedAfter) {
                warn(.writerBlocked(processID: $0.processID, waited: $0.waited))
            }
        }
        if let notice = environment.openingNotice { warn(.filesMended(notice)) }
        let writer = try mapLMDB { () throws(LMDBError) in
            try environment.restLog(after: options.logRestsAfter)
            return try WriterThread(for: environment.path, limits: options.limits)
        }
        do {
            let state = try writer.perform {
                try StoreOpening.writableState(environment, options: options, records: records)
            }
            let core = StoreCore(
                environment: environment, options: options, writer: writer, state: state, records: records)
            writer.begin(upkeepSeconds: options.upkeepSeconds) { [weak core] jobs in
                core?.run(jobs)
            } upkeep: { [weak core] in
                core?.upkeep()
            }
            core.catalog.noteMovedFeed()
            // If opening fails because of a new index, the store must not keep that index.
            if options.buildsIndexes { try core.buildIndexes(dropsUnbuildable: true) }
            core.retention.look()
            if let onEvent = options.onEvent,
                let older = try StoreOpening.olderFormat(environment, core.state, options)
            {
                onEvent(.olderFormat(found: Int(older.found), newest: Int(older.newest)))
            }
            return core
        } catch {
            writer.drain()
            throw error
        }
    }

    /// Runs the queued writes, then ends the writer, the scopes, the steps and the notifier.
    func drain() {
        writer?.drain()
        options.commitLog?.stop()
        for scope in ownership.roots { scope.close() }
        dispatcher.stop()
        notifier.stop()
    }

    // MARK: Reading

    /// The store's state as this process knows it.
    var state: StoreState { catalog.state }

    /// Begins a read transaction; see ``KnownCatalog/beginRead()``.
    func beginRead() throws -> ReadTransaction { try catalog.beginRead() }

    // MARK: Writing

    /// Runs `body` on the writer thread, between commits.
    func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        try requireWriter().perform(body)
    }

    /// Queues a write closure.
    func enqueue(_ job: WriteJob) throws(StoreError) { try requireWriter().enqueue(job) }

    /// Runs a write closure on the calling thread if nothing else waits or runs, and queues it otherwise.
    func runOrEnqueue(_ job: WriteJob) throws(StoreError) { try requireWriter().runOrEnqueue(job) }

    /// Returns the inputs of a new write closure.
    func makeContext() -> WriteContext { Self.context(options) }

    private static func context(_ options: StoreOptions) -> WriteContext {
        WriteContext(time: options.clock(), seed: options.randomSeed(), origin: options.origin, token: nextToken())
    }

    /// The origin that the feed records for this program's writes.
    var ownOrigin: Origin { options.origin }

    /// The number of write closures that wait.
    var waitingCount: Int { writer?.waitingCount ?? 0 }

    private func run(_ jobs: [WriteJob]) {
        BatchRunner(
            environment: environment, notifier: notifier, dispatcher: dispatcher, retention: retention,
            log: options.commitLog, onEvent: options.onEvent
        )
        .run(jobs, state: { state }, reload: catalog.reload)
    }

    /// Runs the periodic work of the writer thread.
    private func upkeep() {
        // Pages held by killed readers cannot be reused until their slots are freed. If that fails, the next upkeep retries it.
        _ = try? environment.clearStaleReaders()
        try? lookAtSnapshots()
        retention.look()
    }

    private func lookAtSnapshots() throws {
        // Read before the newest commit, so that no snapshot is newer than that commit.
        let readers = try environment.readers()
        let info = try environment.info()
        let newest = info.lastTransactionID
        let held = try snapshotWatches.withLock { watches in
            let bytes = { [environment] (number: Int) in try environment.byteCount(heldBy: number, info) }
            return [
                try watches.readers.look(readers.filter { !$0.isPin }, newest: newest, now: .now, heldByteCount: bytes),
                try watches.pins.look(readers.filter(\.isPin), newest: newest, now: .now, heldByteCount: bytes),
            ]
        }
        for case let snapshot? in held { options.warn(.snapshotHeld(snapshot)) }
    }

    /// Throws `forkedChild` in a forked child of the process that opened the store. Its threads are not in the child, so work for
    /// them would wait for ever.
    func requireOwnProcess() throws(StoreError) {
        try mapLMDB { () throws(LMDBError) in try environment.requireOwnProcess() }
    }

    private func requireWriter() throws(StoreError) -> WriterThread {
        try requireOwnProcess()
        guard let writer else {
            throw StoreError(
                .readOnly, "the store is open for reading only", remedy: "open it without isReadOnly to write")
        }
        return writer
    }

    /// Throws if a log orders the store's commits, for operations that the log does not support.
    func requireNoLog(_ operation: String) throws(StoreError) {
        guard options.commitLog == nil else {
            throw StoreError(
                .isReplica, "\(operation) is not possible in a replica", remedy: "use a store without replicas for it")
        }
    }

    private static let lastToken = Atomic<UInt64>(0)

    static func nextToken() -> UInt64 { lastToken.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Changing the catalog

    /// Adds record types to those that this process knows.
    ///
    /// - Parameter plan: the caller's migration plan. It must have no step to run.
    func add(_ more: [any Record.Type], plan: MigrationPlan?) throws {
        let perform = writer.map { writer in
            { (body: @escaping @Sendable () throws -> Void) in try writer.perform(body) }
        }
        try catalog.add(more, plan: plan, perform: perform) {
            if options.buildsIndexes { try buildIndexes(dropsUnbuildable: true) }
        }
    }

    /// Builds the indexes that the store lacks.
    func buildIndexes(dropsUnbuildable: Bool) throws {
        try IndexBuilder(core: self, dropsUnbuildable: dropsUnbuildable).run()
    }
}
