import LMDB
import StoreEngine
import Synchronization

/// What all `Store`s of one directory share in this process: the parts of an open store, and how they are put together.
///
/// Life: made by the first open, shared by later ones, ended by the last close, which drains the writer first. All its parts are
/// constant, and `writer` is nil for a store that is only read.
final class StoreCore: Sendable {
    let environment: LMDBEnvironment
    let options: StoreOptions
    /// Knows the catalog, and begins read transactions.
    let catalog: KnownCatalog
    /// Tells readers of the feed that it has moved on.
    let dispatcher: Dispatcher
    /// What the dispatcher's threads do with the store.
    let access: Dispatcher.Access
    /// Decides when change sets leave the feed.
    let retention: RetentionSchedule
    /// Who is told what observers see.
    let witnesses: WitnessStand
    /// Keeps models and live results up to date.
    let stepper: Stepper
    /// Withdraws write closures that wait too long.
    let deadlines = WriteDeadlines()
    /// Knows who keeps models and other objects alive.
    let ownership: OwnershipRegistry
    private let writer: WriterThread?

    /// The filters of the consumers that were held here, by name, each with the generation in which it was.
    let heldFilters = HandoverMutex<[String: (generation: UInt64, filters: [FeedFilter])]>([:])

    private init(
        environment: LMDBEnvironment, options: StoreOptions, writer: WriterThread?, state: StoreState,
        records: [any Record.Type]
    ) {
        self.environment = environment
        self.options = options
        self.writer = writer
        dispatcher = Dispatcher(
            path: environment.path,
            wakeFile: try? WakeFile(in: environment.path, fileMode: options.fileMode, isReadOnly: options.isReadOnly))
        let catalog = KnownCatalog(environment, options: options, state: state, records: records, dispatcher)
        self.catalog = catalog
        access = Dispatcher.Access {
            try catalog.look()
        } noteForeignWrite: {
            // A write that changes nothing: its transaction notes the foreign one. Without a writer here another process must.
            writer?.enqueue(WriteJob(durability: .relaxed, context: Self.context(options)) { _ in })
        }
        retention = RetentionSchedule(environment, catalog, dispatcher, options: options, writer: writer)
        witnesses = WitnessStand()
        stepper = Stepper(catalog, dispatcher, access, witnesses, options: options)
        ownership = OwnershipRegistry(options: options.ownership)
        ownership.follow(stepper)
    }

    /// Opens the store in `environment`, creating it and adding record types as needed.
    static func open(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type]
    ) throws -> StoreCore {
        try options.check()
        if options.isReadOnly {
            let state = try StoreOpening.readOnlyState(environment, options: options, records: records)
            return StoreCore(environment: environment, options: options, writer: nil, state: state, records: records)
        }
        let report = options.onEvent ?? StandardErrorNotice.write
        environment.reportWriterWaits(after: options.writerBlockedAfter) {
            report(.writerBlocked(processID: $0.processID, waited: $0.waited))
        }
        let writer = WriterThread(name: "store-writer", limits: options.limits)
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
            // A store that cannot be opened for an index must not be left with it.
            if options.buildsIndexes { try core.buildIndexes(dropsUnbuildable: true) }
            core.retention.look()
            return core
        } catch {
            writer.drain()
            throw error
        }
    }

    /// Ends the writer, after what is queued.
    func drain() {
        writer?.drain()
        for scope in ownership.roots { scope.close() }
        stepper.stop()
        dispatcher.stop()
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

    /// The inputs of a new write closure.
    func makeContext() -> WriteContext { Self.context(options) }

    private static func context(_ options: StoreOptions) -> WriteContext {
        WriteContext(time: options.clock(), seed: options.randomSeed(), origin: options.origin, token: nextToken())
    }

    /// The origin of what is written here.
    var ownOrigin: Origin { options.origin }

    /// The number of write closures that wait.
    var waitingCount: Int { writer?.waitingCount ?? 0 }

    private func run(_ jobs: [WriteJob]) {
        BatchRunner(
            environment: environment, dispatcher: dispatcher, stepper: stepper, retention: retention,
            onEvent: options.onEvent
        )
        .run(jobs, state: { state }, reload: catalog.reload)
    }

    /// What the writer thread does now and then.
    private func upkeep() {
        // Readers that were killed keep pages from being used again until their slots are freed. Should that fail, it is
        // tried again.
        _ = try? environment.clearStaleReaders()
        retention.look()
    }

    private func requireWriter() throws(StoreError) -> WriterThread {
        guard let writer else {
            throw StoreError(
                .readOnly, "the store is open for reading only", remedy: "open it without isReadOnly to write")
        }
        return writer
    }

    private static let lastToken = Atomic<UInt64>(0)

    static func nextToken() -> UInt64 { lastToken.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Changing the catalog

    /// Makes further record types known.
    ///
    /// - Parameter plan: the migration plan of the caller, which must have no step to run.
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
