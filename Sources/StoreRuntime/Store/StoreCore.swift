import Foundation
import LMDB
import StoreEngine
import Synchronization

/// What all `Store`s of one directory share in this process: the environment, its writer and the catalog.
///
/// Life: made by the first open, shared by later ones, ended by the last close, which drains the writer first.
/// - `state` is protected by its mutex; the writer thread replaces it, and a reader that finds a newer catalog.
/// - `records` is protected by its mutex; only the holder of `adding` changes it, so that of two who add at once each sees
///   what the other added.
/// - `writer` is nil for a store that is only read; constant.
final class StoreCore: Sendable {
    let environment: LMDBEnvironment
    let options: StoreOptions
    /// Tells readers of the feed that it has moved on.
    let dispatcher: Dispatcher
    /// Who is told what observers see.
    let witnesses: WitnessStand
    /// Keeps models and live results up to date.
    let stepper: Stepper
    /// Withdraws write closures that wait too long.
    let deadlines = WriteDeadlines()
    /// Knows who keeps models and other objects alive.
    let ownership: OwnershipRegistry
    private let writer: WriterThread?
    private let stateStorage: HandoverMutex<KnownState>
    private let records: HandoverMutex<[any Record.Type]>
    private let adding = HandoverMutex(())
    /// Whether a step of retention waits or runs.
    private let isTrimming = Atomic(false)
    /// The position up to which consumers keep what the feed has, as the last step of retention found: until then no commit is
    /// followed by a step, and none looks at consumers. Only the writer thread and who works for it use it.
    private let heldUntil = Atomic<UInt64>(0)
    /// Where the last step of retention was in a large change set; only such a step uses it.
    let trailWalk = HandoverMutex<FeedWalk?>(nil)
    /// Which consumers are told to have expired; held while they are looked at.
    private let expiryWatch = HandoverMutex(ExpiryWatch())

    /// The filters of the consumers that were held here, by name, each with the generation in which it was.
    let heldFilters = HandoverMutex<[String: (generation: UInt64, filters: [FeedFilter])]>([:])

    /// The store's state as this process knows it.
    var state: StoreState { stateStorage.withLock { $0.state } }

    private init(
        environment: LMDBEnvironment, options: StoreOptions, writer: WriterThread?, state: StoreState,
        records: [any Record.Type]
    ) {
        self.environment = environment
        self.options = options
        self.writer = writer
        witnesses = WitnessStand()
        stepper = Stepper(witnesses, worksOnCallers: options.worksOnCallers)
        ownership = OwnershipRegistry(options: options.ownership)
        ownership.follow(stepper)
        dispatcher = Dispatcher(
            path: environment.path,
            wakeFile: try? WakeFile(in: environment.path, fileMode: options.fileMode, isReadOnly: options.isReadOnly))
        stateStorage = HandoverMutex(KnownState(state))
        self.records = HandoverMutex(records)
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
        let late = LateCore()
        let writer = WriterThread(
            name: "store-writer", limits: options.limits, upkeepSeconds: options.upkeepSeconds
        ) { jobs in
            late.core?.run(jobs)
        } upkeep: {
            late.core?.upkeep()
        }
        do {
            let state = try writer.perform {
                try StoreOpening.writableState(environment, options: options, records: records)
            }
            let core = StoreCore(
                environment: environment, options: options, writer: writer, state: state, records: records)
            late.core = core
            core.noteMovedFeed()
            // A store that cannot be opened for an index must not be left with it.
            if options.buildsIndexes { try IndexBuilder(core: core, dropsUnbuildable: true).run() }
            core.lookAfterFeed()
            return core
        } catch {
            writer.drain()
            throw error
        }
    }

    /// Makes further record types known.
    ///
    /// - Parameter plan: the migration plan of who brings them, which must have no step to run.
    func add(_ more: [any Record.Type], plan: MigrationPlan?) throws {
        try adding.withLock { _ in try addAlone(more, plan) }
    }

    private func addAlone(_ more: [any Record.Type], _ plan: MigrationPlan?) throws {
        let known = records.withLock { known in Set(known.map { ObjectIdentifier($0) }) }
        let new = more.filter { !known.contains(ObjectIdentifier($0)) }
        if new.isEmpty, plan == nil { return }
        let all = records.withLock { $0 } + new
        guard let writer else {
            become(try StoreOpening.readOnlyState(environment, options: options, records: all))
            return records.withLock { $0 = all }
        }
        // On the writer thread, so that it cannot cross with a reload there.
        try writer.perform {
            var options = self.options
            if let plan { options.migrations = plan }
            self.become(
                try StoreOpening.writableState(self.environment, options: options, records: all, isShared: true))
            self.records.withLock { $0 = all }
        }
        guard options.buildsIndexes else { return }
        do {
            try IndexBuilder(core: self, dropsUnbuildable: true).run()
        } catch {
            let before = all.dropLast(new.count)
            records.withLock { $0 = Array(before) }
            throw error
        }
    }

    /// Builds the indexes that the store lacks.
    func buildIndexes(dropsUnbuildable: Bool) throws {
        try IndexBuilder(core: self, dropsUnbuildable: dropsUnbuildable).run()
    }

    /// Runs `body` on the writer thread, between commits.
    func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        try requireWriter().perform(body)
    }

    /// Queues a write closure.
    func enqueue(_ job: WriteJob) throws(StoreError) { try requireWriter().enqueue(job) }

    /// Runs a write closure on the calling thread if nothing else waits or runs, and queues it otherwise.
    func runOrEnqueue(_ job: WriteJob) throws(StoreError) { try requireWriter().runOrEnqueue(job) }

    /// The inputs of a new write closure.
    func makeContext() -> WriteContext {
        WriteContext(time: options.clock(), seed: options.randomSeed(), origin: ownOrigin, token: Self.nextToken())
    }

    /// Who writes here.
    var ownOrigin: Origin { options.origin }

    /// What the dispatcher's threads do with the store.
    var access: Dispatcher.Access {
        Dispatcher.Access { [self] in
            let transaction = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
            let head = try StoreFormat.head(state.databases, transaction.snapshot)
            let transactionID = transaction.snapshot.transactionID
            return (head.sequence, head.transactionID == UInt64(transactionID) ? nil : transactionID)
        } noteForeignWrite: { [self] in
            // A write that changes nothing: its transaction notes the foreign one. Without a writer here another process must.
            try? enqueue(WriteJob(durability: .relaxed, context: makeContext()) { _ in })
        }
    }

    /// Begins a read transaction.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when another program has changed the catalog beyond what this one can
    ///   work with.
    func beginRead() throws -> ReadTransaction {
        while true {
            let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
            let known = stateStorage.withLock { $0 }
            let version = try known.catalogVersion(in: raw)
            if version == known.state.catalog.version { return ReadTransaction(raw: raw, state: known.state) }
            // An older one: this process changed the catalog after the transaction had begun. Begin anew.
            if version > known.state.catalog.version { try followCatalog() }
        }
    }

    /// Takes over the catalog that another process has changed, for readers.
    private func followCatalog() throws {
        let all = records.withLock { $0 }
        let state: StoreState
        do throws(StoreError) {
            state = try StoreOpening.readOnlyState(environment, options: options, records: all)
        } catch {
            throw SchemaMismatch.whileRunning(error)
        }
        stateStorage.withLock { known in
            if known.state.catalog.version < state.catalog.version { known = KnownState(state) }
        }
    }

    private func become(_ state: StoreState) {
        stateStorage.withLock { $0 = KnownState(state) }
        // A change of the catalog is in the feed.
        if writer != nil { noteMovedFeed() }
    }

    /// Tells readers of the feed that it may have moved on by something else than a write closure.
    func noteMovedFeed() { dispatcher.committed((try? access.look().sequence) ?? 0, []) }

    /// Replaces the state after a change of the catalog by another process; on the writer thread.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when this program is older than the store is now.
    func reload() throws {
        do {
            try editCatalog { _ in }
        } catch let error as StoreError {
            throw SchemaMismatch.whileRunning(error)
        }
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

    /// Changes the catalog; on the writer thread.
    func editCatalog(_ body: (inout CatalogEditor) throws -> Void) throws {
        let all = records.withLock { $0 }
        become(try StoreOpening.edit(environment, options: options, records: all, body))
    }

    /// Makes a record type what a change of the schema says that was made elsewhere; on the writer thread.
    func follow(_ type: RecordType, _ write: ReplayedWrite) throws -> Position {
        let all = records.withLock { $0 }
        var context = write.context
        context.token = 0
        become(
            try StoreOpening.edit(environment, options: options, records: all, context: context, epoch: write.epoch) {
                try $0.follow(type)
            })
        let transaction = try beginRead()
        return try transaction._reading.feedPosition()
    }

    /// Ends the writer, after what is queued.
    func drain() {
        writer?.drain()
        for scope in ownership.roots { scope.close() }
        stepper.stop()
        dispatcher.stop()
    }

    /// The number of write closures that wait.
    var waitingCount: Int { writer?.waitingCount ?? 0 }

    private func run(_ jobs: [WriteJob]) {
        BatchRunner(
            environment: environment, dispatcher: dispatcher, stepper: stepper, feedHeldUntil: feedHeldUntil,
            trimFeed: trimFeed,
            onEvent: options.onEvent
        )
        .run(jobs, state: { state }, reload: reload)
    }

    /// The position up to which consumers keep what the feed has.
    var feedHeldUntil: UInt64 { heldUntil.load(ordering: .relaxed) }

    /// Takes over what a step of retention found.
    func holdFeed(until sequence: UInt64) { heldUntil.store(sequence, ordering: .relaxed) }

    /// Has a step of retention made soon, between commits, and further ones while there is more to remove.
    private func trimFeed() {
        guard let writer, !isTrimming.exchange(true, ordering: .acquiringAndReleasing) else { return }
        writer.post { [weak self] in
            guard let self else { return }
            // What fails now is tried again after a later commit.
            let hasMore = (try? RetentionStep(core: self).run()) ?? false
            isTrimming.store(false, ordering: .releasing)
            if hasMore { trimFeed() } else { tellExpired() }
        }
    }

    /// What the writer thread does now and then.
    fileprivate func upkeep() {
        // Readers that were killed keep pages from being used again until their slots are freed. Should that fail, it is
        // tried again.
        _ = try? environment.clearStaleReaders()
        lookAfterFeed()
    }

    /// Has it looked soon whether age or size have change sets leave the feed, and whether consumers have expired, here or by
    /// another process.
    private func lookAfterFeed() {
        if options.limits.retainedAge != nil || options.limits.retainedFeedByteCount != nil { return trimFeed() }
        if options.onEvent != nil { writer?.post { [weak self] in self?.tellExpired() } }
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
        let transaction = try beginRead()
        return try transaction._reading.consumers()
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
}

/// Lets the writer thread reach the core, which is made after the thread.
private final class LateCore: Sendable {
    private let weakCore = HandoverMutex<WeakCore>(WeakCore())

    private struct WeakCore {
        weak var core: StoreCore?
    }

    var core: StoreCore? {
        get { weakCore.withLock { $0.core } }
        set { weakCore.withLock { $0.core = newValue } }
    }
}
