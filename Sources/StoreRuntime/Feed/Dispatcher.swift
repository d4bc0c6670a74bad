import Dispatch
import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Tells those in this process who read the feed that it has moved on, whoever wrote.
///
/// Life: made with the store; its threads start with the first who waits, and end with the store.
/// - `state`, `recent`, `fileWatch` and `reportedForeign` are protected by their mutexes, of which none is held while another
///   is taken.
/// - `phase` is protected by its mutex: not started, running, stopped.
/// - `isStopping` is set once. `isWatched` is a hint for the writer, set by the thread that waits on the wake file.
/// - `wakeFile` is constant; nil where it cannot be used, and other processes are noticed by looking now and then.
///
/// Own commits come from the writer, right after they are made. Those of other processes: a thread waits on the wake file, a
/// second one for writes to the data file by programs that know nothing of it, and every few seconds the first looks anyway.
/// Each only notes how far the feed is; what is in it, readers read themselves, so nothing can be missed or come twice.
///
/// A thread that has looked some times although nobody waited rests (is parked), so that readers who have stopped cost the
/// writer nothing. No wake is lost by that: whether somebody waits and which threads rest is one state under one mutex, so
/// either the thread sees who waits and does not rest, or who waits sees the thread and brings it back; and it then looks
/// before it listens.
final class Dispatcher: Sendable {
    /// What the threads do with the store.
    struct Access: Sendable {
        /// The newest change set, and whether a program that is not ModelStore has written since.
        let look: @Sendable () throws -> (sequence: UInt64, foreign: Int?)
        /// Has a reset written, since a foreign program wrote.
        let noteForeignWrite: @Sendable () -> Void
    }

    private enum Phase {
        case idle
        case running(threads: [ThreadEnd])
        case stopped
    }

    private let path: String
    let wakeFile: WakeFile?
    /// How often a thread looks for nobody before it rests.
    private let vainLookLimit: Int
    private let state = HandoverMutex(DispatchState())
    private let recent = HandoverMutex(RecentChanges())
    private let phase = HandoverMutex<Phase>(.idle)
    private let isWatched = Atomic(false)
    private let isStopping = Atomic(false)
    private let fileWatch = HandoverMutex<FileWatch?>(nil)
    /// The last foreign commit that was reported.
    private let reportedForeign = HandoverMutex<Int?>(nil)
    /// Told whenever the feed has moved on.
    private let listener = HandoverMutex<Listener?>(nil)

    /// How often a thread looks although nothing woke it, in milliseconds.
    private static let sweepMilliseconds: UInt32 = 2_000
    /// How long writes to the data file are taken for one, in milliseconds.
    private static let foreignRestMilliseconds: UInt32 = 5

    init(path: String, wakeFile: WakeFile?, vainLookLimit: Int = 32) {
        self.path = path
        self.wakeFile = wakeFile
        self.vainLookLimit = vainLookLimit
    }

    /// Whether the writer shall hand over what it commits.
    var wantsEntries: Bool { isWatched.load(ordering: .relaxed) }

    // MARK: The writer's side

    /// Notes what this process has committed, and wakes those who wait for it here and in other processes.
    ///
    /// - Parameters:
    ///   - entries: the change sets in order; an empty one stands for one that is not kept.
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

    /// Notes a commit of this process without a change set, such as one that has moved a consumer, and ends the waits for any
    /// commit here and in other processes.
    func committedAside() {
        wake()
        wakeFile?.wakeAll()
    }

    /// Has consumers look whether a program waits for them, here and in other processes.
    func askConsumers() {
        committedAside()
        // A process that only reads cannot raise the count.
        wakeFile?.wakeWaiting()
    }

    // MARK: Readers' side

    /// The newest change set that this process knows of.
    var newestSequence: UInt64 { state.withLock { $0.sequence } }

    /// Change sets right after a sequence number that this process has committed and kept.
    func recent(after sequence: UInt64, limit: Int) -> ArraySlice<RecentEntry> {
        recent.withLock { $0.after(sequence, limit: limit) }
    }

    /// Waits until there is a change set after `sequence`, or until ``stir()``.
    ///
    /// - Parameter isOpen: whether the store that waits is open. Looked at with the lock held, so that a stir that its closing makes is
    ///   not missed.
    func wait(
        after sequence: UInt64, _ access: Access, isOpen: @Sendable () -> Bool = { true }
    ) async -> DispatchState.Wake {
        await wait(access, isOpen: isOpen) { state, id, resume in state.wait(id, after: sequence, resume: resume) }
    }

    /// How often there may have been a commit by any process, for ``wait(afterWake:_:isOpen:)``.
    var wakeCount: UInt64 { state.withLock { $0.wakeCount } }

    /// Waits until there may have been a commit, also one without a change set, since the wakes were counted. A caller that counts
    /// them before it reads the store misses no commit.
    func wait(
        afterWake count: UInt64, _ access: Access, isOpen: @Sendable () -> Bool = { true }
    ) async -> DispatchState.Wake {
        await wait(access, isOpen: isOpen) { state, id, resume in state.wait(id, afterWake: count, resume: resume) }
    }

    private typealias BeginWait = (inout DispatchState, UInt64, @escaping DispatchState.Resume) -> DispatchState.Wake?

    private func wait(
        _ access: Access, isOpen: @Sendable () -> Bool, begin: BeginWait
    ) async -> DispatchState.Wake {
        start(access)
        let id = state.withLock { $0.makeID() }
        let wake = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<DispatchState.Wake, Never>) in
                var parked: [@Sendable () -> Void] = []
                let wake: DispatchState.Wake? = state.withLock { state in
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

    /// Has all who wait look again what has become of the store.
    func stir() { for resume in state.withLock({ $0.stir() }) { resume(.moved) } }

    /// Starts the threads, if they do not run, and tells `listener` from now on whenever the feed has moved on. They do not rest
    /// any more.
    func listen(_ access: Access, _ listener: @escaping @Sendable () -> Void) {
        self.listener.withLock { $0 = Listener(tell: listener) }
        start(access)
        let parked = state.withLock { state in
            state.listen()
            return state.takeParked()
        }
        for unpark in parked { unpark() }
    }

    /// Starts the threads, if they do not run, and has the writer hand over what it commits.
    func start(_ access: Access) {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .running(threads: [])
            return true
        }
        guard isFirst else { return }
        isWatched.store(true, ordering: .relaxed)
        var threads = [startThread("store-feed") { self.followWakes(access) }]
        if let watch = FileWatch(path + "/data.mdb") {
            fileWatch.withLock { $0 = watch }
            threads.append(startThread("store-watch") { self.followFile(watch, access) })
        }
        let isStopped = phase.withLock { phase in
            guard case .running = phase else { return true }
            phase = .running(threads: threads)
            return false
        }
        if isStopped { end(threads) }
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
            // One that was about to wait or to rest has not heard the wake before.
            repeat {
                wakeFile?.wakeWaiting()
                for unpark in state.withLock({ $0.takeParked() }) { unpark() }
            } while !thread.wait(milliseconds: 5)
        }
    }

    // MARK: The threads

    private func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> ThreadEnd {
        let end = ThreadEnd()
        Thread.detachNewThread {
            Thread.current.name = name
            body()
            end.signal()
        }
        return end
    }

    private func followWakes(_ access: Access) {
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
            wakeFile.wait(whileCountIs: count, milliseconds: Dispatcher.sweepMilliseconds)
        }
    }

    // Without a wake file there is nothing to wait on but time.
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
                // Once it is watched again, for what was written meanwhile.
                look(access)
                continue
            }
            watch.rest(milliseconds: Dispatcher.foreignRestMilliseconds)
        }
    }

    /// Whether a thread has looked often for nobody.
    private func isVain(_ parking: inout Parking) -> Bool {
        let (waitCount, isAwaited) = state.withLock { ($0.waitCount, $0.isAwaited) }
        parking.count(waitCount, isAwaited: isAwaited)
        return parking.vainLooks >= vainLookLimit
    }

    /// Rests until somebody waits, unless somebody does or has.
    private func park(_ parking: inout Parking) {
        let isWanted = DispatchSemaphore(value: 0)
        let waitCount = parking.waitCount
        if state.withLock({ $0.park(ifNoneWaitedSince: waitCount) { isWanted.signal() } }) { isWanted.wait() }
        parking = Parking()
    }

    // An error here is one for those who read: they look themselves.
    private func look(_ access: Access) {
        guard let seen = try? access.look() else { return }
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
        listener.withLock { $0 }?.tell()
    }
}

/// Whom to tell that the feed has moved on.
///
/// In a structure, as a generic lock would wrap a bare closure anew each time that it is held: a call would go through one more
/// function after each commit.
private struct Listener: Sendable {
    let tell: @Sendable () -> Void
}

/// How often a thread has looked for nobody.
private struct Parking {
    /// How many waits there had been at the last look.
    private(set) var waitCount: UInt64 = 0
    /// How many looks there have been since somebody was known to wait.
    private(set) var vainLooks = 0

    mutating func count(_ waitCount: UInt64, isAwaited: Bool) {
        vainLooks = isAwaited || waitCount != self.waitCount ? 0 : vainLooks + 1
        self.waitCount = waitCount
    }
}

/// The end of a thread, to wait for.
private final class ThreadEnd: Sendable {
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Says that the thread does nothing more.
    func signal() { hasEnded.signal() }

    /// Blocks until the thread has ended; false when it has not in this time.
    func wait(milliseconds: Int) -> Bool { hasEnded.wait(timeout: .now() + .milliseconds(milliseconds)) == .success }
}
