import Dispatch
import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Notifies readers of the feed in this process that it has advanced, whichever process wrote.
///
/// Life: created with the store; its threads start with the first wait, and end with the store.
/// - `state`, `recent`, `fileWatch` and `reportedForeign` are protected by their mutexes. None is held while another is taken.
/// - `phase` is protected by its mutex: not started, running, stopped. It is held while the threads start, and before the others.
/// - `isStopping` is set once. `isWatched` is a hint for the writer, set by the thread that waits on the wake file.
/// - `wakeFile` is constant. It is nil if it cannot be used; the notifier then looks periodically for commits of other
///   processes.
///
/// The writer reports this process's commits right after it has made them. Two threads find the commits of other processes. The
/// first waits on the wake file. The second waits for writes to the data file, by programs that do not know the wake file. Every
/// few seconds the first thread looks in any case. Each thread only notes how far the feed is. Readers read the feed themselves,
/// so they miss nothing and receive nothing twice.
///
/// A thread that has looked several times while there was no wait is parked, so that readers that have stopped cost the writer
/// nothing. This loses no wake, because the waits and the parked threads are one state under one mutex. Either the thread sees
/// the wait and is not parked, or the waiting reader sees the thread and resumes it. The resumed thread looks before it listens.
final class FeedNotifier: Sendable {
    /// The operations of the threads on the store.
    struct Access: Sendable {
        /// Returns the newest change set, and a foreign transaction if a program other than ModelStore has written since.
        let look: @Sendable () throws -> (sequence: UInt64, foreign: Int?)
        /// Has the writer add a reset to the feed, because a foreign program wrote.
        let noteForeignWrite: @Sendable () -> Void
    }

    private enum Phase {
        case idle
        case running(threads: [ThreadEnd])
        case stopped
    }

    let path: String
    let wakeFile: WakeFile?
    /// How often a thread looks while there is no wait before it is parked.
    private let vainLookLimit: Int
    private let state = HandoverMutex(FeedNotifierState())
    private let recent = HandoverMutex(RecentChanges())
    private let phase = HandoverMutex<Phase>(.idle)
    private let isWatched = Atomic(false)
    private let isStopping = Atomic(false)
    private let fileWatch = HandoverMutex<FileWatch?>(nil)
    /// The last foreign commit that was reported.
    private let reportedForeign = HandoverMutex<Int?>(nil)
    /// Called whenever the feed has advanced.
    private let listener = HandoverMutex<Listener?>(nil)

    /// The time after which a thread looks although nothing woke it, in milliseconds.
    private static let sweepMilliseconds: UInt32 = 1_500
    /// How long writes to the data file count as one, in milliseconds.
    private static let foreignRestMilliseconds: UInt32 = 5

    init(path: String, wakeFile: WakeFile?, vainLookLimit: Int = 32) {
        self.path = path
        self.wakeFile = wakeFile
        self.vainLookLimit = vainLookLimit
    }

    /// Whether the writer hands over the change sets that it commits.
    var wantsEntries: Bool { isWatched.load(ordering: .relaxed) }

    // MARK: The writer's side

    /// Notes commits of this process, and wakes the readers that wait for them here and in other processes.
    ///
    /// - Parameters:
    ///   - entries: the change sets in order; nil stands for a change set that is not kept.
    func committed(_ sequence: UInt64, _ entries: [WrittenEntry?]) {
        if wantsEntries {
            recent.withLock { recent in
                for entry in entries {
                    if let entry { recent.add(entry) } else { recent.removeAll() }
                }
            }
        }
        advance(to: sequence)
        wakeFile?.wakeAll()
    }

    /// Notes a commit of this process without a change set, for example after a consumer has moved. Ends the waits for any
    /// commit, here and in other processes.
    func committedAside() {
        wake()
        wakeFile?.wakeAll()
    }

    /// Makes consumers check whether a program waits for them, here and in other processes.
    func askConsumers() {
        committedAside()
        // A process that only reads cannot raise the wake count.
        wakeFile?.wakeWaiting()
    }

    // MARK: Readers' side

    /// The newest change set that this process knows of.
    var newestSequence: UInt64 { state.withLock { $0.sequence } }

    /// Returns the change sets right after a sequence number that this process has committed and kept.
    func recent(after sequence: UInt64, limit: Int) -> ArraySlice<RecentEntry> {
        recent.withLock { $0.after(sequence, limit: limit) }
    }

    /// Waits until there is a change set after `sequence`, or until ``stir()``.
    ///
    /// - Parameter isOpen: whether the waiting store is open. It is checked with the lock held, so that the stir of a closing
    ///   store is not missed.
    func wait(
        after sequence: UInt64, _ access: Access, isOpen: @Sendable () -> Bool = { true }
    ) async throws(StoreError) -> FeedNotifierState.Wake {
        try await wait(access, isOpen: isOpen) { state, id, resume in state.wait(id, after: sequence, resume: resume) }
    }

    /// How often any process may have committed, for ``wait(afterWake:_:isOpen:)``.
    var wakeCount: UInt64 { state.withLock { $0.wakeCount } }

    /// Waits until there may have been a commit since the wakes were counted, including a commit without a change set. A caller
    /// that counts the wakes before it reads the store misses no commit.
    func wait(
        afterWake count: UInt64, _ access: Access, isOpen: @Sendable () -> Bool = { true }
    ) async throws(StoreError) -> FeedNotifierState.Wake {
        try await wait(access, isOpen: isOpen) { state, id, resume in state.wait(id, afterWake: count, resume: resume) }
    }

    private typealias BeginWait = (inout FeedNotifierState, UInt64, @escaping FeedNotifierState.Resume) ->
        FeedNotifierState.Wake?

    private func wait(
        _ access: Access, isOpen: @Sendable () -> Bool, begin: BeginWait
    ) async throws(StoreError) -> FeedNotifierState.Wake {
        try start(access)
        let id = state.withLock { $0.makeID() }
        let wake = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<FeedNotifierState.Wake, Never>) in
                var parked: [@Sendable () -> Void] = []
                let wake: FeedNotifierState.Wake? = state.withLock { state in
                    guard isOpen() else { return .closed }
                    let wake = begin(&state, id) { continuation.resume(returning: $0) }
                    if wake == nil { parked = state.takeParked() }
                    return wake
                }
                if let wake { continuation.resume(returning: wake) }
                for unpark in parked { unpark() }
            }
        } onCancel: {
            state.withLock { $0.cancel(id) }?(.cancelled)
        }
        state.withLock { $0.forget(id) }
        return wake
    }

    /// Ends the waits for any commit.
    private func wake() { for resume in state.withLock({ $0.wake() }) { resume(.moved) } }

    /// Makes all waiting tasks check the state of the store.
    func stir() { for resume in state.withLock({ $0.stir() }) { resume(.moved) } }

    /// Starts the threads if they do not run, and calls `listener` from now on whenever the feed has advanced. The threads are no
    /// longer parked.
    ///
    /// - Throws: ``StoreError`` with the code `threadUnavailable`.
    func listen(_ access: Access, _ listener: @escaping @Sendable () -> Void) throws(StoreError) {
        self.listener.withLock { $0 = Listener(notify: listener) }
        try start(access)
        let parked = state.withLock { state in
            state.listen()
            return state.takeParked()
        }
        for unpark in parked { unpark() }
    }

    /// Starts the threads if they do not run, and makes the writer hand over its change sets.
    ///
    /// - Throws: ``StoreError`` with the code `threadUnavailable`. The next call tries it again.
    func start(_ access: Access) throws(StoreError) {
        try phase.withLock { phase throws(StoreError) in
            guard case .idle = phase else { return }
            phase = .running(threads: try mapLMDB { () throws(LMDBError) in try startThreads(access) })
        }
    }

    private func startThreads(_ access: Access) throws(LMDBError) -> [ThreadEnd] {
        let feed = try startThread("store-feed") { self.followWakes(access) }
        // Without it, the other thread finds the commits of programs that do not know the wake file, a moment later.
        guard let watch = FileWatch(path + "/data.mdb"),
            let file = try? startThread("store-watch", { self.followFile(watch, access) })
        else { return [feed] }
        fileWatch.withLock { $0 = watch }
        return [feed, file]
    }

    /// Ends the threads and all waits.
    func stop() {
        let threads = phase.withLock { phase in
            defer { phase = .stopped }
            if case .running(let threads) = phase { return threads }
            return []
        }
        end(threads)
        for resume in state.withLock({ $0.stop() }) { resume(.closed) }
    }

    private func end(_ threads: [ThreadEnd]) {
        isStopping.store(true, ordering: .releasing)
        fileWatch.withLock { $0 }?.stop()
        for thread in threads {
            // A thread that was about to wait or to be parked has missed the earlier wake.
            repeat {
                wakeFile?.wakeWaiting()
                for unpark in state.withLock({ $0.takeParked() }) { unpark() }
            } while !thread.wait(milliseconds: 5)
        }
    }

    // MARK: The threads

    private func startThread(
        _ name: StaticString, _ body: @escaping @Sendable () -> Void
    ) throws(LMDBError) -> ThreadEnd {
        let end = ThreadEnd()
        try SystemThread.start(name, for: path) {
            body()
            end.signal()
        }
        return end
    }

    private func followWakes(_ access: Access) {
        isWatched.store(true, ordering: .relaxed)
        var parking = Parking()
        while !isStopping.load(ordering: .acquiring) {
            let count = wakeFile?.count ?? 0
            look(access)
            if isVain(&parking) {
                isWatched.store(false, ordering: .relaxed)
                recent.withLock { $0.removeAll() }
                park(&parking)
                isWatched.store(true, ordering: .relaxed)
                continue
            }
            guard let wakeFile else {
                rest()
                continue
            }
            if isStopping.load(ordering: .acquiring) { return }
            wakeFile.wait(whileCountIs: count, milliseconds: FeedNotifier.sweepMilliseconds)
        }
    }

    // Without a wake file, the thread can only let time pass.
    private func rest() {
        for _ in 0..<20 where !isStopping.load(ordering: .acquiring) { usleep(10_000) }
    }

    private func followFile(_ watch: FileWatch, _ access: Access) {
        var parking = Parking()
        while watch.wait() {
            look(access)
            if isVain(&parking) {
                watch.pause()
                park(&parking)
                watch.resume()
                // Looks again after watching has resumed, for writes in between.
                look(access)
                continue
            }
            watch.rest(milliseconds: FeedNotifier.foreignRestMilliseconds)
        }
    }

    /// Returns whether a thread has looked often enough while there was no wait.
    private func isVain(_ parking: inout Parking) -> Bool {
        let (waitCount, isAwaited) = state.withLock { ($0.waitCount, $0.isAwaited) }
        parking.count(waitCount, isAwaited: isAwaited)
        return parking.vainLooks >= vainLookLimit
    }

    /// Parks the thread until there is a wait, unless there is one already or has been one.
    private func park(_ parking: inout Parking) {
        let isWanted = DispatchSemaphore(value: 0)
        let waitCount = parking.waitCount
        if state.withLock({ $0.park(ifNoneWaitedSince: waitCount) { isWanted.signal() } }) { isWanted.wait() }
        parking = Parking()
    }

    private func look(_ access: Access) {
        guard let seen = try? access.look() else {
            // Readers look themselves and receive the error.
            stir()
            listener.withLock { $0 }?.notify()
            return
        }
        advance(to: seen.sequence)
        guard let foreign = seen.foreign else { return }
        let isNew = reportedForeign.withLock { reported in
            defer { reported = foreign }
            return reported != foreign
        }
        if isNew { access.noteForeignWrite() }
    }

    private func advance(to sequence: UInt64) {
        for resume in state.withLock({ $0.advance(to: sequence) + $0.wake() }) { resume(.moved) }
        listener.withLock { $0 }?.notify()
    }
}

/// The closure to call when the feed has advanced.
///
/// It is in a structure, because a generic lock would wrap a bare closure each time it is held. After each commit, the call would
/// go through one more function.
private struct Listener: Sendable {
    let notify: @Sendable () -> Void
}

/// How often a thread has looked while there was no wait.
private struct Parking {
    /// How many waits there had been at the last look.
    private(set) var waitCount: UInt64 = 0
    /// How many looks there have been since the last known wait.
    private(set) var vainLooks = 0

    mutating func count(_ waitCount: UInt64, isAwaited: Bool) {
        vainLooks = isAwaited || waitCount != self.waitCount ? 0 : vainLooks + 1
        self.waitCount = waitCount
    }
}

/// Lets another thread wait for the end of a thread.
private final class ThreadEnd: Sendable {
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Notes that the thread does nothing more.
    func signal() { hasEnded.signal() }

    /// Blocks until the thread has ended. Returns false if it has not ended in this time.
    func wait(milliseconds: Int) -> Bool { hasEnded.wait(timeout: .now() + .milliseconds(milliseconds)) == .success }
}
