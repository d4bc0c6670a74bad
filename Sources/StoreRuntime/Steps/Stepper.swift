import Dispatch
import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Brings models and live results from one position of the store to a later one, in steps.
///
/// A step has two halves. *Applying* reads what was committed since the step before, from one snapshot, and gives models and
/// live results a version at its position; no code of users runs in it. *Publishing* tells Observation, shows the position,
/// and tells subscribers; it is done on a thread of its own, in the order of applying.
///
/// Life: starts with the first model, live query or read view; its thread ends with the store. Programs that use none of
/// these pay one look at an atomic for each commit.
/// - `state` is protected by its mutex, and so is `applied`; `applied`'s is held while a step is applied, and taken before
///   those of models and results.
/// - `isRunning` rises once.
final class Stepper: Sendable {
    let timeline = Timeline()
    private let witnesses: WitnessStand
    private let state = HandoverMutex(StepState())
    private let applied = HandoverMutex(AppliedState())
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isStarted = Atomic(false)
    /// The position that is being applied: whoever adds a model of an earlier one reads it again.
    private let applying = Atomic<UInt64>(0)
    private let modelTables = HandoverMutex(ModelTables())

    /// How long the thread rests after a step that failed, in seconds.
    private static let retrySeconds = 0.05

    private let catalog: KnownCatalog
    private let dispatcher: Dispatcher
    private let access: Dispatcher.Access
    private let options: StoreOptions

    init(
        _ catalog: KnownCatalog, _ dispatcher: Dispatcher, _ access: Dispatcher.Access, _ witnesses: WitnessStand,
        options: StoreOptions
    ) {
        self.catalog = catalog
        self.dispatcher = dispatcher
        self.access = access
        self.witnesses = witnesses
        self.options = options
    }

    /// Whether steps are made on the threads of those who ask for them, and not on a thread of its own.
    private var worksOnCallers: Bool { options.worksOnCallers }

    /// Whether steps are made, so that a write has to wait for its own.
    var isRunning: Bool { isStarted.load(ordering: .acquiring) }

    // MARK: Life

    /// Starts making steps, if that was not done before.
    func start() throws {
        if isRunning { return }
        try applied.withLock { applied in
            guard state.withLock({ $0.start() }) else { return }
            do {
                // Its threads would ask for steps too.
                if !worksOnCallers { dispatcher.listen(access) { [weak self] in self?.ask() } }
                let transaction = try catalog.beginRead()
                let scope = transaction._reading
                let position = try scope.feedPosition()
                applied.begin(at: position, catalogVersion: scope.state.catalog.version)
                witnesses.inOrder { witness in
                    witness?.stepped(to: position.sequence)
                    timeline.show(position.sequence)
                }
                _ = state.withLock { $0.show(position.sequence) }
            } catch {
                state.withLock { $0.unstart() }
                throw error
            }
            if !worksOnCallers { startThread() }
            isStarted.store(true, ordering: .releasing)
        }
    }

    /// Has a witness told of all steps after the position that is shown; of the newest one, where none were made.
    func attach(_ witness: any RuntimeWitness) throws {
        // So that the first steps are not begun meanwhile.
        try applied.withLock { _ in
            let newest = try access.look().sequence
            try witnesses.enter(witness) { isRunning ? timeline.visibleSequence : newest }
        }
    }

    private func startThread() {
        let thread = Thread { [self] in
            // What observers do on it must not wait for the writer or for steps.
            WriterThread.isCurrent = true
            Thread.current.name = "store-step"
            run()
            ended.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Makes the last step, ends the thread, and tells all observers that nothing comes any more.
    func stop() {
        guard state.withLock({ $0.stop() }) else { return }
        if worksOnCallers {
            _ = step()
        } else {
            work.signal()
            ended.wait()
        }
        for table in modelTables.withLock({ $0.end() }) { table.endAll() }
        let (results, dependents) = applied.withLock { $0.end() }
        for result in results { result.end() }
        for dependent in dependents { dependent.end() }
        for completion in state.withLock({ $0.release() }) { completion() }
    }

    // MARK: Waiting

    /// Has a step made soon.
    func ask() {
        guard state.withLock({ $0.ask() }) else { return }
        if !worksOnCallers {
            work.signal()
        } else if isRunning {
            // Not while it is being started, which holds what a step needs.
            stepHere()
        }
    }

    /// Makes the steps that are due on the calling thread, while no other thread does.
    private func stepHere() {
        let wasCurrent = WriterThread.isCurrent
        // What observers do must not wait for the writer or for steps, as on the thread.
        WriterThread.isCurrent = true
        defer { WriterThread.isCurrent = wasCurrent }
        while state.withLock({ $0.claim() }) {
            _ = step()
            state.withLock { $0.relinquish() }
        }
    }

    /// Calls `completion` once a commit of this process is shown.
    func afterShowing(_ sequence: UInt64, _ completion: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.wait(for: sequence, completion) }) { return completion() }
        ask()
    }

    /// Waits until all earlier commits are shown. Returns at once without steps, or where the store cannot be read.
    nonisolated(nonsending) func untilShown() async {
        guard isRunning, let newest = try? access.look() else { return }
        await untilShown(newest.sequence)
    }

    /// Whether a position that was committed is shown.
    func hasShown(_ sequence: UInt64) -> Bool { timeline.visibleSequence >= sequence }

    /// Waits until a position that was committed is shown.
    nonisolated(nonsending) func untilShown(_ sequence: UInt64) async {
        if hasShown(sequence) { return }
        await withCheckedContinuation { continuation in
            afterShowing(sequence) { continuation.resume() }
        }
    }

    // MARK: The thread

    private func run() {
        var hasFailed = false
        while true {
            switch state.withLock({ $0.next() }) {
            case .rest:
                guard hasFailed else {
                    work.wait()
                    continue
                }
                _ = work.wait(timeout: .now() + Stepper.retrySeconds)
                hasFailed = !step()
            case .step: hasFailed = !step()
            case .stop:
                _ = step()
                return
            }
        }
    }

    /// Makes a step.
    ///
    /// - Returns: whether it succeeded.
    private func step() -> Bool {
        var failure: (any Error)?
        do {
            try apply()
        } catch {
            failure = error
        }
        publish()
        if timeline.hasOlder.load(ordering: .relaxed) { letGo([], timeline.floor) }
        guard let failure else { return true }
        if let error = failure as? StoreError, error.isLasting { fail(error) }
        // Their commits are made; what cannot be shown now is later.
        for completion in state.withLock({ $0.release() }) { completion() }
        return false
    }

    /// Ends models, live results and effects, as steps would fail for ever.
    private func fail(_ error: StoreError) {
        guard let others = applied.withLock({ $0.fail(error) }) else { return }
        let sequence = timeline.visibleSequence
        for other in others { other.willShow(sequence) }
        for other in others { other.didShow(sequence) }
        for table in modelTables.withLock({ $0.end() }) { table.endAll() }
        options.onEvent?(.observationFailed(error: error))
    }

    private func apply() throws {
        try applied.withLock { applied in
            if applied.isHeld { return }
            let transaction = try catalog.beginRead()
            try apply(transaction, &applied)
        }
    }

    private func apply(_ transaction: borrowing ReadTransaction, _ applied: inout AppliedState) throws {
        let scope = transaction._reading
        try applied.apply(scope, tables: tables, recent: dispatcher) { sequence in
            applying.store(sequence, ordering: .sequentiallyConsistent)
        }
    }

    private func publish() {
        while let publication = applied.withLock({ $0.takePublication() }) {
            publication.willShow()
            witnesses.inOrder { witness in
                witness?.stepped(to: publication.sequence)
                timeline.show(publication.sequence)
            }
            let floor = timeline.floor
            letGo(publication.didShow(floor: floor), floor)
            for completion in state.withLock({ $0.show(publication.sequence) }) { completion() }
        }
    }

    /// Lets versions go that were kept for views that have ended.
    private func letGo(_ older: [any Versioned], _ floor: UInt64) {
        let hasOlder = applied.withLock { $0.keep(older, floor: floor) }
        timeline.hasOlder.store(hasOlder, ordering: .relaxed)
    }

    // MARK: Several commits in one step

    /// Has no steps made of what is committed from here on, until ``resume()``.
    func hold() { applied.withLock { $0.isHeld = true } }

    /// Ends what ``hold()`` began: what was committed meanwhile is one step.
    func resume() {
        applied.withLock { $0.isHeld = false }
        ask()
    }

    // MARK: Reading at a position

    /// Opens a read view at the newest position, which is applied but need not be shown yet.
    func openView() throws -> ReadViewStorage {
        let (storage, isAhead) = try applied.withLock { applied in
            let transaction = try catalog.beginRead()
            try apply(transaction, &applied)
            let position = applied.position
            timeline.open(position.sequence)
            return (ReadViewStorage(timeline, position, transaction), applied.hasPublications)
        }
        if isAhead { ask() }
        return storage
    }

    /// The position that is shown; nil while another one was applied and is not shown yet.
    var shownPosition: Position? {
        let position = applied.withLock { $0.hasPublications ? nil : $0.position }
        return position.flatMap { timeline.visibleSequence >= $0.sequence ? $0 : nil }
    }

    // MARK: Live results

    /// The result of a request, kept up to date until it is released.
    ///
    /// - Complexity: that of running the request, unless somebody uses its result already. Steps go on meanwhile.
    func use(_ key: LiveKey) throws -> LiveResult {
        let shared = try atNewest { applied, _ in applied.live.share(key) }
        return try shared ?? use(start(key))
    }

    /// Runs a request on a snapshot of its own.
    func start(_ key: LiveKey) throws -> LiveStart {
        let transaction = try catalog.beginRead()
        let scope = transaction._reading
        return try LiveStart(key, in: scope, at: scope.feedPosition())
    }

    /// The result of a request that was run, with what was committed since.
    func use(_ start: LiveStart) throws -> LiveResult {
        try atNewest { applied, scope in try applied.use(start, in: scope, recent: dispatcher, timeline) }
    }

    /// Applies what was committed, and then calls `body` with the newest snapshot before anything else is applied.
    private func atNewest<T>(_ body: (inout AppliedState, ReadContext) throws -> T) throws -> T {
        let (result, isAhead) = try applied.withLock { applied in
            let transaction = try catalog.beginRead()
            if applied.isEnded { throw WriteQueue.closed }
            try apply(transaction, &applied)
            return (try body(&applied, transaction._reading), applied.hasPublications)
        }
        if isAhead { ask() }
        return result
    }

    func release(_ result: LiveResult) { applied.withLock { $0.live.release(result) } }

    /// Has a dependent told of the store's end.
    func add(_ dependent: LiveDependent) {
        let isEnded = applied.withLock { applied in
            applied.dependents.add(dependent)
            return applied.isEnded
        }
        if isEnded { dependent.end() }
    }

    /// Has a dependent told of what is committed from now on.
    func follow(_ dependent: LiveDependent) throws {
        try atNewest { applied, scope in try applied.dependents.add(dependent, scope.catalog) }
    }

    /// Looks again at what a dependent reads.
    ///
    /// - Returns: the position from which on it is told of what changes that.
    func read(_ dependent: LiveDependent) throws -> Position {
        try atNewest { applied, scope in
            try applied.dependents.read(dependent, scope.catalog)
            return applied.position
        }
    }

    func remove(_ dependent: LiveDependent) { applied.withLock { $0.dependents.remove(dependent) } }

    var dependentCount: Int { applied.withLock { $0.dependents.all.count } }

    /// How many of them steps have looked at so far.
    var dependentVisitCount: Int { applied.withLock { $0.dependents.visitCount } }

    var liveQueryCount: Int { applied.withLock { $0.live.results.count } }

    /// What keeping live results up to date took so far.
    var liveCounters: LiveCounters { applied.withLock { $0.live.counters } }

    /// How a live result is kept up to date, for people.
    func explain(_ result: LiveResult) -> String {
        applied.withLock { $0.live.explain(result, catalog.state.catalog) }
    }

    // MARK: Models

    fileprivate var tables: [any ModelTable] { modelTables.withLock { $0.all } }

    /// The models of a record type.
    func table<R: Record>(_ type: R.Type) -> TypedModelTable<R> {
        modelTables.withLock { $0.table(type) { TypedModelTable<R>(timeline) } }
    }

    /// The position that is being applied, or was last: what was read at an earlier one may lack something.
    var applyingSequence: UInt64 { applying.load(ordering: .sequentiallyConsistent) }
}

extension Stepper: LiveModelSource {
    var liveModels: [any OwnedModel] { tables.flatMap(\.liveModels) }
}
