import Dispatch
import Foundation
import LMDB
import StoreEngine

/// The thread that writes to an environment: LMDB's write transactions belong to a thread.
///
/// A blocking write that finds nothing else to wait for runs on its caller's thread, while this one rests. Two thread switches
/// would take longer than the work.
///
/// Life: starts while the store is opened, and runs tasks from then on. After ``begin(upkeepSeconds:run:upkeep:)`` it also runs
/// write closures. It sleeps when there is no work, and ends after a drain.
/// - `queue` is protected by its mutex, and so is `duty`, which is set once.
/// - `work` counts additions; the thread waits on it.
final class WriterThread: Sendable {
    private let queue: HandoverMutex<WriteQueue>
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let duty = HandoverMutex<Duty?>(nil)

    /// The thread's work once the store is open.
    private struct Duty: Sendable {
        let upkeepSeconds: Double
        let run: @Sendable ([WriteJob]) -> Void
        let upkeep: @Sendable () -> Void
    }

    /// The longest wait for closures to commit together, in seconds.
    private static let gatheringSeconds = 100e-6

    /// Starts the thread.
    ///
    /// - Parameter path: the environment's directory.
    /// - Throws: ``LMDBError`` with the code `threadUnavailable`.
    init(for path: String, limits: StoreLimits) throws(LMDBError) {
        queue = HandoverMutex(WriteQueue(limits: limits))
        try SystemThread.start("store-writer", for: path) { [self] in
            WriterThread.isCurrent = true
            doWork()
            ended.signal()
        }
    }

    /// From here on hands batches of closures to `run`, and runs `upkeep` every `upkeepSeconds`, with or without work. Called
    /// once, before the first closure is queued.
    func begin(
        upkeepSeconds: Double, run: @escaping @Sendable ([WriteJob]) -> Void, upkeep: @escaping @Sendable () -> Void
    ) {
        duty.withLock { $0 = Duty(upkeepSeconds: upkeepSeconds, run: run, upkeep: upkeep) }
        work.signal()
    }

    private func doWork() {
        var nextUpkeep: DispatchTime?
        var lastBatchCount = 0
        while true {
            let duty = duty.withLock { $0 }
            if let duty {
                if let time = nextUpkeep, DispatchTime.now() >= time {
                    duty.upkeep()
                    nextUpkeep = nil
                }
                if nextUpkeep == nil { nextUpkeep = .now() + duty.upkeepSeconds }
            }
            gather(lastBatchCount)
            lastBatchCount = 0
            guard let next = queue.withLock({ $0.next() }) else {
                _ = work.wait(timeout: nextUpkeep ?? .distantFuture)
                continue
            }
            switch next {
            case .writes(let jobs):
                lastBatchCount = jobs.count
                duty?.run(jobs)
            case .task(let task): task()
            case .stop: return
            }
        }
    }

    /// Waits a moment for as many closures as the last commit held.
    ///
    /// The tasks of those closures have just resumed, and most of them write again at once. Without this wait, the first of them
    /// would be committed alone while the others arrive, and half of all commits would hold one closure. A commit takes several
    /// times as long as the wait.
    private func gather(_ count: Int) {
        guard count > 1 else { return }
        let deadline = DispatchTime.now() + WriterThread.gatheringSeconds
        while queue.withLock({ $0.waitingCount }) < count {
            if work.wait(timeout: deadline) == .timedOut { return }
        }
    }

    /// Whether the calling thread runs a write closure of any store, or makes steps. Waiting for a write there would be a
    /// deadlock.
    static var isCurrent: Bool {
        get { Thread.current.threadDictionary["modelstore.writer"] != nil }
        set { Thread.current.threadDictionary["modelstore.writer"] = newValue ? true : nil }
    }

    /// Queues a write closure. If it cannot be queued, completes it with the reason.
    func enqueue(_ job: WriteJob) {
        if let refusal = queue.withLock({ $0.add(job) }) { return job.complete(.failure(refusal)) }
        work.signal()
    }

    /// Runs a write closure on the calling thread if nothing else waits or runs, and queues it otherwise.
    func runOrEnqueue(_ job: WriteJob) {
        guard queue.withLock({ $0.claim() }) else { return enqueue(job) }
        WriterThread.isCurrent = true
        duty.withLock { $0 }?.run([job])
        WriterThread.isCurrent = false
        if queue.withLock({ $0.relinquish() }) { work.signal() }
    }

    /// Runs `body` on the thread, between commits, and waits for its result.
    func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        try WriterThread.requireElsewhere()
        let outcome = Handover<Result<T, any Error>>()
        let refusal = queue.withLock { $0.add { outcome.give(Result { try body() }) } }
        if let refusal { throw refusal }
        work.signal()
        return try outcome.wait().get()
    }

    /// Runs `task` on the thread soon, between commits. Does nothing if the store is closing.
    func post(_ task: @escaping @Sendable () -> Void) {
        guard queue.withLock({ $0.add(task) }) == nil else { return }
        work.signal()
    }

    /// Throws on a writer thread.
    static func requireElsewhere() throws(StoreError) {
        guard !isCurrent else {
            throw StoreError(
                .nestedWrite,
                "a blocking write was called inside a write closure or an Observation callback",
                remedy: "use the closure's transaction, or write afterwards in a task")
        }
    }

    /// Takes no more work, and waits until the queued work is done and the thread has ended.
    func drain() {
        guard queue.withLock({ $0.drain() }) else { return }
        work.signal()
        ended.wait()
    }

    /// The number of closures that wait.
    var waitingCount: Int { queue.withLock { $0.waitingCount } }
}
