import Dispatch
import Foundation
import LMDB
package import StoreEngine
package import StoreRuntime

/// Keeps a store equal to the other replicas of a log: appends what the store writes, and applies what others have appended.
///
/// The store's metadata says how far it has applied the log, in the same transaction as the entry's changes. So a process that
/// ends at any moment loses and doubles nothing, and the next one goes on from there.
///
/// - `state` is protected by its mutex. The writer thread takes `pending`.
package final class Replicator: CommitLog {
    /// The most bytes of entries that are read at a time.
    private static let batchByteCount = 4 << 20
    /// The upkeep of the log runs once in this many rounds of a second.
    private static let roundsPerUpkeep = 10

    let log: any SharedLog
    private let caller: LogCaller
    let node: String
    /// Distinguishes the processes of the node.
    private let process = UUID()
    private let upkeep: LogUpkeep
    private let stopsOlderPrograms: Bool
    private let choosePause: @Sendable (Duration) -> Duration
    private let state: HandoverMutex<State>
    /// Signalled when the follower has read entries, for a writer thread that holds back.
    private let hasArrived = DispatchSemaphore(value: 0)

    private struct State {
        /// Nil until the store is open.
        var store: ReplicaAccess?
        /// Entries that came with a conflict or a read, and that the writer thread has not applied.
        var pending: LogBatch?
        var status: ReplicationStatus
        var pause = ConflictPause()
        var waiters = StatusWaiters()
        /// The sequences of the status, by a number of their own.
        var watches: [Int: AsyncStream<ReplicationStatus>.Continuation] = [:]
        var lastWatch = 0
        var isClosed = false
        var follower: Task<Void, Never>?
        /// That of the last look at the engine's room.
        var usageLevel = LogUsage.Level.low
        /// The versions of the registers of programs in other directories with this node's name, as of the last look; nil before
        /// the first.
        var namesakes: [String: UInt64]?
    }

    package init(_ replication: Replication) {
        log = replication.log
        node = replication.node
        upkeep = replication.upkeep
        stopsOlderPrograms = replication.stopsOlderPrograms
        caller = LogCaller(log)
        let isSimulated = caller.isSimulated
        choosePause =
            replication.choosePause ?? { window in isSimulated ? .zero : window * Double.random(in: 0...1) }
        let start = LogPosition.start(generation: 0)
        state = HandoverMutex(
            State(status: ReplicationStatus(node: node, applied: start, head: start, state: .following)))
    }

    package var status: ReplicationStatus { state.withLock { $0.status } }

    /// Takes the store that it keeps. Called once, before the store writes.
    func attach(_ store: ReplicaAccess) throws {
        let applied = try Self.position(of: store)
        state.withLock { state in
            state.store = store
            state.status.applied = applied
            if state.status.head.index < applied.index { state.status.head = applied }
        }
    }

    private static func position(of store: ReplicaAccess) throws -> LogPosition { try replicaState(of: store).applied }

    private static func replicaState(of store: ReplicaAccess) throws -> ReplicaState {
        guard let bytes = try store.state() else { throw noReplica }
        return try ReplicaState(bytes)
    }

    private static func member(_ store: ReplicaAccess) throws -> LogMember {
        let (state, sum) = try store.stateAndContentSum()
        guard let state else { throw noReplica }
        return LogMember(applied: try ReplicaState(state).applied, contentSum: sum)
    }

    private static let noReplica = StoreError(
        .other, "the store is no replica", remedy: "open it with its log from the beginning")

    // MARK: Writing

    package func append(_ content: LoggedEntry, after replica: [UInt8]?) throws -> [UInt8] {
        try requireGoing()
        guard let replica else { throw Self.noReplica }
        let state = try ReplicaState(replica)
        try requireContinuation(content, of: state)
        let entry = LogEntry(after: state.applied, node: node, content)
        guard entry.bytes.count <= log.maximumEntryByteCount else {
            throw StoreError(
                .tooLarge,
                "the changes take \(entry.bytes.count) bytes, but an entry of the log at most \(log.maximumEntryByteCount)",
                remedy: "write fewer changes in each closure")
        }
        let called = ContinuousClock.now
        switch caller.append(entry) {
        case .send, .unknown:
            throw StoreError(
                .outcomeUnknown, "the log did not answer, so the write \(entry.writeID) may be in it or not",
                remedy: "ask with Store.outcome(of:) once the log can be reached again",
                cause: UnknownWrite(id: entry.writeID, previous: entry.previous))
        case .appended:
            self.state.withLock { $0.pause.appended() }
            note { status in
                status.head = entry.position
                status.confirmed = .now
                status.noteAnswer(calledAt: called)
            }
            return state.after(entry).bytes
        case .behind(let batch):
            self.state.withLock { state in
                state.pending = batch
                state.pause.lost()
            }
            throw CommitLogIsAhead()
        case .failed(let error): throw failed(error)
        }
    }

    /// Checks that the change sets continue what the log has given to this replica.
    ///
    /// - Throws: ``CommitLogIsAhead`` if the replica has applied a part of an entry; ``StoreError`` with the code
    ///   `replicaDiverged` if another program has written change sets that the log lacks.
    private func requireContinuation(_ content: LoggedEntry, of state: ReplicaState) throws {
        guard let first = content.changeSets.first, first.sequence != state.sequence + 1 else { return }
        do {
            let batch = try caller.entries(after: state.applied, maximumByteCount: Self.batchByteCount)
            if !batch.entries.isEmpty {
                self.state.withLock { $0.pending = batch }
                throw CommitLogIsAhead()
            }
        } catch let error as SharedLogError {
            throw failed(error)
        }
        throw stop(
            StoreError(
                .replicaDiverged,
                "the replica has change set \(first.sequence - 1), and its log ends with \(state.sequence)",
                remedy: "keep this directory to find the cause, and let the replica join again in an empty directory"))
    }

    package func requirePrograms(using types: [RecordType]) throws {
        if stopsOlderPrograms { return }
        let registers: [LogRegister]
        do { registers = try caller.registers(prefix: RunningProgram.keyPrefix) } catch { throw failed(error) }
        let old = registers.compactMap { register -> String? in
            let other = RunningProgram.node(ofKey: register.key)
            guard other != node, let lost = RunningProgram(register.value)?.typesLost(with: types), !lost.isEmpty
            else { return nil }
            return "\(other) (\(lost.joined(separator: ", ")))"
        }
        guard old.isEmpty else {
            throw StoreError(
                .membersTooOld,
                "running programs of other nodes cannot use the changed record types: "
                    + Set(old).sorted().joined(separator: ", "),
                remedy: "stop these programs first, or open with Replication.stopsOlderPrograms, which stops them")
        }
    }

    package func committed() {
        guard let store = state.withLock({ $0.store }), let applied = try? Self.position(of: store) else { return }
        note { $0.applied = applied }
    }

    // MARK: Reading the log

    /// The errors of an entry that no retry can apply. Every other error, such as a full disk, ends with its cause.
    private static let stopping: Set<StoreError.Code> = mayKeepCode.union([
        .recordExists, .recordNotFound, .uniqueViolation, .referenceBroken, .unknownType, .unknownField, .invalidValue,
        .tooLarge,
    ])
    private static let mayKeepCode: Set<StoreError.Code> = [.replicaDiverged, .schemaMismatch, .damaged]

    private static func cannotApply(_ error: StoreError) -> StoreError {
        StoreError(
            .replicaDiverged, "this replica cannot apply the next entry of its log: \(error.message)",
            remedy: "keep this directory to find the cause, and let the replica join again in an empty directory",
            cause: error)
    }

    package func catchUp() throws {
        guard let store = state.withLock({ $0.store }) else { return }
        var wasRead = false
        while true {
            try requireGoing()
            var reached = try Self.replicaState(of: store)
            let applied = reached.applied
            var given = state.withLock { $0.pending.take() }
            // It was read before this replica's own last append.
            if let batch = given, batch.head.index < applied.index { given = nil }
            do {
                let batch =
                    try given ?? caller.entries(after: applied, maximumByteCount: Self.batchByteCount)
                let fresh = try LogReading.continuation(of: applied, in: batch)
                let entries = fresh.map { entry in
                    reached = reached.after(entry)
                    return (entry: entry.content, replica: reached.bytes)
                }
                try store.apply(entries)
                let last = fresh.last?.position ?? applied
                note { status in
                    status.applied = last
                    if status.head.index < batch.head.index { status.head = batch.head }
                }
                if last.index >= batch.head.index { return }
                if fresh.isEmpty, given == nil {
                    guard !wasRead else { throw SharedLogError(.damaged, "the log lacks entry \(applied.index + 1)") }
                    wasRead = true
                }
            } catch let error as SharedLogError {
                throw failed(error)
            } catch let error as StoreError where Self.stopping.contains(error.code) {
                throw stop(Self.mayKeepCode.contains(error.code) ? error : Self.cannotApply(error))
            }
        }
    }

    package func holdBack() throws {
        let window = state.withLock { $0.pause.window }
        guard window > .zero else { return }
        let pause = choosePause(window)
        guard pause > .zero else { return }
        let deadline = DispatchTime.now() + .nanoseconds(Int(pause / .nanoseconds(1)))
        // Entries of other nodes are applied without delay.
        while hasArrived.wait(timeout: deadline) == .success {
            if state.withLock({ $0.pending != nil }) { try catchUp() }
        }
    }

    /// Applies the entries that the log has. Returns false once nothing is left to do.
    @discardableResult
    func follow() async -> Bool {
        while true {
            guard let store = state.withLock({ $0.store }) else { return false }
            do {
                let applied = try Self.position(of: store)
                let asked = ContinuousClock.now
                let batch = try await log.entries(after: applied, maximumByteCount: Self.batchByteCount)
                if batch.head.index > applied.index || batch.head != applied {
                    state.withLock { $0.pending = batch }
                    hasArrived.signal()
                    try await BlockingWork.run { try store.perform { try self.catchUp() } }
                }
                note { status in
                    if status.head.index <= batch.head.index { status.head = batch.head }
                    status.confirmed = asked
                    status.noteAnswer(calledAt: asked)
                }
                if status.applied.index >= batch.head.index { return true }
            } catch let error as SharedLogError {
                _ = failed(error)
                return !isStopped
            } catch {
                return !isStopped && (error as? StoreError)?.code != .closed
            }
        }
    }

    /// Tells the other nodes how far this one is, and takes a snapshot and removes entries if that is due. A failure is noted.
    func keepUp() async {
        guard let store = state.withLock({ $0.store }) else { return }
        let failure: StoreError?
        do {
            let applied = status.applied
            try await upkeep.publish(Self.member(store))
            let isAlone = try await publishProgram(of: store)
            let usage = try await log.usage()
            note { $0.logUsage = usage }
            report(usage, to: store)
            guard isAlone else {
                throw StoreError(
                    .inUse,
                    "another running node has the name \(node) too; the log can remove entries that one of them lacks",
                    remedy: "open each node with a name of its own")
            }
            var manifest = try await upkeep.manifest()?.manifest
            if upkeep.isSnapshotDue(applied, manifest, usage, now: store.now) {
                manifest = try await upkeep.takeSnapshot(of: store)
            }
            if let manifest { note { $0.snapshot = manifest.position } }
            try await upkeep.trim(usage, now: store.now)
            failure = nil
        } catch let error as SharedLogError {
            failure = StoreError(
                .logUnavailable, error.message, remedy: "nothing is lost: it is tried again", cause: error)
        } catch {
            failure = error as? StoreError ?? StoreError(.other, "\(error)", cause: error)
        }
        note { $0.upkeepError = failure }
    }

    /// Tells the other nodes about this program, and returns false if another node uses the name of this one.
    private func publishProgram(of store: ReplicaAccess) async throws -> Bool {
        let program = RunningProgram(place: try store.place(), types: try store.declaredTypes())
        let found = try await upkeep.publish(program, of: process)
        let before: [String: UInt64]? = state.withLock { state in
            defer { state.namesakes = found }
            return state.namesakes
        }
        // The first look may find the program that this one replaces. Its register is not set again.
        guard let before else { return true }
        return found.allSatisfy { before[$0.key] == $0.value }
    }

    /// Reports each rise of the usage to another level.
    private func report(_ usage: LogUsage, to store: ReplicaAccess) {
        let isRisen = state.withLock { state in
            defer { state.usageLevel = usage.level }
            return usage.level > state.usageLevel
        }
        guard isRisen, let limit = usage.limit else { return }
        store.report(.logFilling(byteCount: usage.byteCount, limit: limit))
    }

    /// Takes a snapshot now.
    func takeSnapshot() async throws -> LogPosition {
        guard let store = state.withLock({ $0.store }) else { throw Self.closed }
        let position = try await upkeep.takeSnapshot(of: store).position
        note { $0.snapshot = position }
        return position
    }

    /// Applies the entries that the log has, on the calling thread and the writer thread.
    package func followNow() throws {
        guard let store = state.withLock({ $0.store }) else { return }
        try store.perform { try self.catchUp() }
    }

    /// Follows the log until the store is closed.
    func start() {
        let follower = Task.detached { [weak self, log] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in log.wakes() { guard await self?.follow() == true else { return } }
                }
                group.addTask {
                    // Finds what no wake told, and shows that the log can be reached.
                    var rounds = 0
                    while await self?.follow() == true {
                        if rounds.isMultiple(of: Self.roundsPerUpkeep) { await self?.keepUp() }
                        rounds += 1
                        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                    }
                }
                await group.next()
                group.cancelAll()
            }
        }
        state.withLock { $0.follower = follower }
    }

    package func stop() {
        let (follower, waiters, watches) = state.withLock { state in
            defer { state.watches = [:] }
            state.isClosed = true
            return (state.follower.take(), state.waiters.removeAll(), state.watches)
        }
        follower?.cancel()
        for watch in watches.values { watch.finish() }
        for waiter in waiters { waiter.resume(throwing: Self.closed) }
    }

    private static let closed = StoreError(.closed, "the store is closed")

    // MARK: Consumers

    package func takeTurn(ofConsumer name: String) async throws -> (any ConsumerTurn)? {
        try requireGoing()
        do {
            return try await LogTurn.take(LogTurn.consumerPrefix + name, node: node, log) { [weak self] in
                // The feed of a stopped replica has no news for the consumer.
                self?.isStopped == false
            }
        } catch {
            throw failed(error)
        }
    }

    package func isOutage(_ error: StoreError) -> Bool {
        [.logUnavailable, .logFull, .outcomeUnknown, .tooManyConflicts, .writeTimeout, .queueFull].contains(error.code)
    }

    // MARK: Waiting

    /// Applies the log up to an entry that it has.
    ///
    /// - Throws: ``StoreError``: `logUnavailable`, `closed`; the error with which the replica has stopped. `CancellationError`.
    func reach(_ index: UInt64) async throws {
        if status.applied.index < index { await follow() }
        let status = status
        if status.applied.index < index, case .disconnected(let error) = status.state { throw failed(error) }
        try await wait(forIndex: index)
    }

    /// Waits until the store has an entry.
    ///
    /// - Throws: the error with which the replica has stopped; `CancellationError`.
    func wait(forIndex index: UInt64) async throws {
        let number = state.withLock { $0.waiters.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: StatusWaiters.Waiter) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if case .stopped(let error) = state.status.state { return .failure(error) }
                    if state.status.applied.index >= index { return .success(()) }
                    if state.isClosed { return .failure(Self.closed) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.add(waiter, number, index: index)
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.remove(number) }?.resume(throwing: CancellationError())
        }
    }

    private func note(_ change: (inout ReplicationStatus) -> Void) {
        let due = state.withLock { state in
            change(&state.status)
            // Inside the lock, so that the newest status comes last.
            for watch in state.watches.values { watch.yield(state.status) }
            return state.waiters.remove(upTo: state.status.applied.index)
        }
        for waiter in due { waiter.resume() }
    }

    /// Returns the status now and after each change. A slow reader misses all but the newest one.
    func statusUpdates() -> AsyncStream<ReplicationStatus> {
        let (stream, watch) = AsyncStream.makeStream(
            of: ReplicationStatus.self, bufferingPolicy: .bufferingNewest(1))
        let added = state.withLock { state -> Int? in
            if state.isClosed { return nil }
            state.lastWatch += 1
            state.watches[state.lastWatch] = watch
            watch.yield(state.status)
            return state.lastWatch
        }
        guard let number = added else {
            watch.finish()
            return stream
        }
        watch.onTermination = { [weak self] _ in self?.state.withLock { $0.watches[number] = nil } }
        return stream
    }

    // MARK: Failing

    private var isStopped: Bool {
        if case .stopped = status.state { return true }
        return false
    }

    /// Throws the error with which the replica has stopped, if it has.
    func requireGoing() throws(StoreError) {
        if case .stopped(let error) = status.state { throw error }
    }

    /// Notes that a replica contradicts the log, and returns the error.
    private func stop(_ error: StoreError) -> StoreError {
        let waiters = state.withLock { state in
            state.status.state = .stopped(error)
            for watch in state.watches.values { watch.yield(state.status) }
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(throwing: error) }
        return error
    }

    func failed(_ error: SharedLogError) -> StoreError {
        switch error.code {
        case .trimmed:
            return stop(
                StoreError(
                    .replicaDiverged, "the log no longer has the entries after this replica: \(error.message)",
                    remedy: "open it again with the place of the log's snapshots, so that it joins by the newest one",
                    cause: error))
        case .diverged, .otherGeneration, .damaged:
            return stop(
                StoreError(
                    .replicaDiverged, "this replica cannot go on: \(error.message)",
                    remedy:
                        "see store-cli replication begin-generation if the log has lost entries; otherwise keep this directory "
                        + "to find the cause, and let the replica join again in an empty directory",
                    cause: error))
        case .full:
            return StoreError(.logFull, error.message, remedy: "trim the log, or give its engine room", cause: error)
        case .refused: return StoreError(.accessDenied, error.message, remedy: "check the log's options", cause: error)
        case .entryTooLarge:
            return StoreError(.tooLarge, error.message, remedy: "write fewer changes in each closure", cause: error)
        default:
            note { $0.noteFailure(error) }
            return StoreError(
                .logUnavailable, error.message, remedy: "write again once the log can be reached; reads go on",
                cause: error)
        }
    }
}
