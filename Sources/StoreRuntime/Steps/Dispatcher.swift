import Dispatch
import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Brings models and live results from one position of the store to a later one, in steps.
///
/// A step has two halves:
/// - *Applying* reads the commits since the last step from one snapshot, and gives models and live results a version at its
///   position. It runs no user code.
/// - *Publishing* notifies Observation, publishes the position, and notifies subscribers. It runs on a thread of its own, in the
///   order of applying.
///
/// Life: starts with the first model, live query or read view; its thread ends with the store. Programs that use none of these
/// pay one atomic load for each commit.
/// - `state` is protected by its mutex, and so is `applied`. The mutex of `applied` is held while a step is applied, and is taken
///   before those of models and results.
/// - `isRunning` becomes true once.
final class Dispatcher: Sendable {
    let timeline = Timeline()
    private let witnesses: WitnessStand
    private let state = HandoverMutex(StepState())
    private let applied = HandoverMutex(AppliedState())
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isStarted = Atomic(false)
    /// The position that is being applied. A caller that adds a model read at an earlier position reads it again.
    private let applying = Atomic<UInt64>(0)
    private let modelTables = HandoverMutex(ModelTables())

    /// How long the thread rests after a failed step, in seconds.
    private static let retrySeconds = 0.05

    private let catalog: KnownCatalog
    private let notifier: FeedNotifier
    private let access: FeedNotifier.Access
    private let options: StoreOptions

    init(
        _ catalog: KnownCatalog, _ notifier: FeedNotifier, _ access: FeedNotifier.Access, _ witnesses: WitnessStand,
        options: StoreOptions
    ) {
        self.catalog = catalog
        self.notifier = notifier
        self.access = access
        self.witnesses = witnesses
        self.options = options
    }

    /// Whether steps run on the threads that ask for them, and not on a thread of the dispatcher's own.
    private var worksOnCallers: Bool { options.worksOnCallers }

    /// Whether steps are made. A write then has to wait for its own step.
    var isRunning: Bool { isStarted.load(ordering: .acquiring) }

    // MARK: Life

    /// Starts making steps, unless that has already begun.
    func start() throws {
        if isRunning { return }
        try applied.withLock { applied in
            guard state.withLock({ $0.start() }) else { return }
            do {
                // With steps on calling threads, the dispatcher does not listen: the notifier's threads would ask for steps too.
                if !worksOnCallers { try notifier.listen(access) { [weak self] in self?.ask() } }
                let transaction = try catalog.beginRead()
                let scope = transaction._reading
                let position = try scope.feedPosition()
                // Its first step waits for the locks that are held here.
                if !worksOnCallers { try startThread() }
                applied.begin(at: position, catalogVersion: scope.state.catalog.version)
                witnesses.inOrder { witness in
                    witness?.stepped(to: position.sequence)
                    timeline.publish(position.sequence)
                }
                _ = state.withLock { $0.show(position.sequence) }
            } catch {
                state.withLock { $0.unstart() }
                throw error
            }
            isStarted.store(true, ordering: .releasing)
        }
    }

    /// Attaches a witness. It receives all steps after the published position, or after the newest one if no steps are made.
    func attach(_ witness: any RuntimeWitness) throws {
        // Holds the lock so that the first steps do not begin meanwhile.
        try applied.withLock { _ in
            let newest = try access.look().sequence
            try witnesses.enter(witness) { isRunning ? timeline.publishedSequence : newest }
        }
    }

    private func startThread() throws(StoreError) {
        try mapLMDB { () throws(LMDBError) in
            try SystemThread.start("store-step", for: notifier.path) { [self] in
                // Observers that run on it must not wait for the writer or for steps.
                WriterThread.isCurrent = true
                run()
                ended.signal()
            }
        }
    }

    /// Makes the last step, ends the thread, and notifies all observers that no more changes come.
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

    /// Asks for a step soon.
    func ask() {
        guard state.withLock({ $0.ask() }) else { return }
        if !worksOnCallers {
            work.signal()
        } else if isRunning {
            // Not during the start, which holds the locks that a step needs.
            stepHere()
        }
    }

    /// Makes the due steps on the calling thread, unless another thread makes them.
    private func stepHere() {
        let wasCurrent = WriterThread.isCurrent
        // Observers must not wait for the writer or for steps, as on the thread.
        WriterThread.isCurrent = true
        defer { WriterThread.isCurrent = wasCurrent }
        while state.withLock({ $0.claim() }) {
            _ = step()
            state.withLock { $0.relinquish() }
        }
    }

    /// Calls `completion` once a commit of this process is published.
    func afterPublishing(_ sequence: UInt64, _ completion: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.wait(for: sequence, completion) }) { return completion() }
        ask()
    }

    /// Waits until all earlier commits are published. Returns at once if no steps are made, or if the store cannot be read.
    nonisolated(nonsending) func waitUntilPublished() async {
        guard isRunning, let newest = try? access.look() else { return }
        await waitUntilPublished(newest.sequence)
    }

    /// Returns whether a committed position is published.
    func hasPublished(_ sequence: UInt64) -> Bool { timeline.publishedSequence >= sequence }

    /// Waits until a committed position is published.
    nonisolated(nonsending) func waitUntilPublished(_ sequence: UInt64) async {
        if hasPublished(sequence) { return }
        await withCheckedContinuation { continuation in
            afterPublishing(sequence) { continuation.resume() }
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
                _ = work.wait(timeout: .now() + Dispatcher.retrySeconds)
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
        // The commits are made. A later step publishes them.
        for completion in state.withLock({ $0.release() }) { completion() }
        return false
    }

    /// Ends models, live results and effects, because all later steps would fail.
    private func fail(_ error: StoreError) {
        guard let others = applied.withLock({ $0.fail(error) }) else { return }
        let sequence = timeline.publishedSequence
        for other in others { other.willPublish(sequence) }
        for other in others { other.didPublish(sequence) }
        for table in modelTables.withLock({ $0.end() }) { table.endAll() }
        options.onEvent?(.observationFailed(error: error))
    }

    private func apply() throws {
        try applied.withLock { applied in
            if applied.isHeld { return }
            try catalog.requireFiles()
            let transaction = try catalog.beginRead()
            try apply(transaction, &applied)
        }
    }

    private func apply(_ transaction: borrowing ReadTransaction, _ applied: inout AppliedState) throws {
        let scope = transaction._reading
        try applied.apply(scope, tables: tables, recent: notifier) { sequence in
            applying.store(sequence, ordering: .sequentiallyConsistent)
        }
    }

    private func publish() {
        while let publication = applied.withLock({ $0.takePublication() }) {
            publication.willPublish()
            witnesses.inOrder { witness in
                witness?.stepped(to: publication.sequence)
                timeline.publish(publication.sequence)
            }
            let floor = timeline.floor
            letGo(publication.didPublish(floor: floor), floor)
            for completion in state.withLock({ $0.show(publication.sequence) }) { completion() }
        }
    }

    /// Drops versions that were kept for views that have ended.
    private func letGo(_ older: [any Versioned], _ floor: UInt64) {
        let hasOlder = applied.withLock { $0.keep(older, floor: floor) }
        timeline.hasOlder.store(hasOlder, ordering: .relaxed)
    }

    // MARK: Several commits in one step

    /// Applies no more commits until ``resume()``.
    func hold() { applied.withLock { $0.isHeld = true } }

    /// Ends what ``hold()`` began. The commits since then form one step.
    func resume() {
        applied.withLock { $0.isHeld = false }
        ask()
    }

    // MARK: Reading at a position

    /// Opens a read view at the newest position, which is applied but may not be published yet.
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

    /// The published position; nil while a later one is applied and not published yet.
    var publishedPosition: Position? {
        let position = applied.withLock { $0.hasPublications ? nil : $0.position }
        return position.flatMap { timeline.publishedSequence >= $0.sequence ? $0 : nil }
    }

    // MARK: Live results

    /// Returns the result of a request, kept up to date until it is released.
    ///
    /// - Complexity: that of running the request, unless its result is already in use. Steps continue meanwhile.
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

    /// Returns the result of a request that was run, brought up to date with later commits.
    func use(_ start: LiveStart) throws -> LiveResult {
        try atNewest { applied, scope in try applied.use(start, in: scope, recent: notifier, timeline) }
    }

    /// Applies all commits, and then calls `body` with the newest snapshot before anything else is applied.
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

    /// Adds a dependent that is notified when the store closes.
    func add(_ dependent: LiveDependent) {
        let isEnded = applied.withLock { applied in
            applied.dependents.add(dependent)
            return applied.isEnded
        }
        if isEnded { dependent.end() }
    }

    /// Adds a dependent that receives all changes committed from now on.
    func follow(_ dependent: LiveDependent) throws {
        try atNewest { applied, scope in try applied.dependents.add(dependent, scope.catalog) }
    }

    /// Checks again which records a dependent reads.
    ///
    /// - Returns: the position from which on the dependent receives changes of those records.
    func read(_ dependent: LiveDependent) throws -> Position {
        try atNewest { applied, scope in
            try applied.dependents.read(dependent, scope.catalog)
            return applied.position
        }
    }

    func remove(_ dependent: LiveDependent) { applied.withLock { $0.dependents.remove(dependent) } }

    var dependentCount: Int { applied.withLock { $0.dependents.all.count } }

    /// How many dependents the steps have visited so far.
    var dependentVisitCount: Int { applied.withLock { $0.dependents.visitCount } }

    var liveQueryCount: Int { applied.withLock { $0.live.results.count } }

    /// How much work it took so far to keep live results up to date.
    var liveCounters: LiveCounters { applied.withLock { $0.live.counters } }

    /// Describes for people how a live result is kept up to date.
    func explain(_ result: LiveResult) -> String {
        applied.withLock { $0.live.explain(result, catalog.state.catalog) }
    }

    // MARK: Models

    fileprivate var tables: [any ModelTable] { modelTables.withLock { $0.all } }

    /// Returns the models of a record type.
    func table<R: Record>(_ type: R.Type) -> TypedModelTable<R> {
        modelTables.withLock { $0.table(type) { TypedModelTable<R>(timeline) } }
    }

    /// The position that is being applied, or was applied last. A value that was read at an earlier position may lack changes.
    var applyingSequence: UInt64 { applying.load(ordering: .sequentiallyConsistent) }
}

extension Dispatcher: LiveModelSource {
    var liveModels: [any OwnedModel] { tables.flatMap(\.liveModels) }
}
