import Dispatch
import Foundation
import LMDB
import StoreEngine

/// The one thread that writes to an environment: LMDB's write transactions belong to a thread.
///
/// Life: starts with the store, takes work from the queue, sleeps when there is none, ends after a drain.
/// - `queue` is protected by its mutex.
/// - `work` counts additions; the thread waits on it.
final class WriterThread: Sendable {
    private let queue: HandoverMutex<WriteQueue>
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// How often `upkeep` runs at least, in seconds, whether or not there is work.
    private static let upkeepSeconds = 30.0

    /// Starts a thread that hands batches of closures to `run`, and now and then runs `upkeep`.
    init(
        name: String, limits: StoreLimits, run: @escaping @Sendable ([WriteJob]) -> Void,
        upkeep: @escaping @Sendable () -> Void
    ) {
        queue = HandoverMutex(WriteQueue(limits: limits))
        let thread = Thread { [self] in
            WriterThread.isCurrent = true
            var nextUpkeep = DispatchTime.now() + WriterThread.upkeepSeconds
            while true {
                if DispatchTime.now() >= nextUpkeep {
                    upkeep()
                    nextUpkeep = .now() + WriterThread.upkeepSeconds
                }
                guard let next = queue.withLock({ $0.next() }) else {
                    _ = work.wait(timeout: nextUpkeep)
                    continue
                }
                switch next {
                case .writes(let jobs): run(jobs)
                case .task(let task): task()
                case .stop:
                    ended.signal()
                    return
                }
            }
        }
        thread.name = name
        // Write closures are users' code and may recurse; a secondary thread's standard stack is small.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Whether the calling thread is a writer thread of any store, so that waiting for a write would be a deadlock.
    static var isCurrent: Bool {
        get { Thread.current.threadDictionary["modelstore.writer"] != nil }
        set { Thread.current.threadDictionary["modelstore.writer"] = newValue ? true : nil }
    }

    /// Queues a write closure; one that cannot be queued is completed with the reason.
    func enqueue(_ job: WriteJob) {
        if let refusal = queue.withLock({ $0.add(job) }) { return job.complete(.failure(refusal)) }
        work.signal()
    }

    /// Runs `body` on the thread, between commits, and waits for it.
    func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        try WriterThread.requireElsewhere()
        let outcome = Handover<Result<T, any Error>>()
        let refusal = queue.withLock { $0.add { outcome.give(Result { try body() }) } }
        if let refusal { throw refusal }
        work.signal()
        return try outcome.wait().get()
    }

    /// Fails on a writer thread.
    static func requireElsewhere() throws(StoreError) {
        guard !isCurrent else {
            throw StoreError(
                .nestedWrite, "a write was asked for inside a write closure",
                remedy: "use the transaction that the closure was given, or write after it")
        }
    }

    /// Lets no more work in, and waits until what is queued is done and the thread has ended.
    func drain() {
        guard queue.withLock({ $0.drain() }) else { return }
        work.signal()
        ended.wait()
    }

    /// The number of closures that wait.
    var waitingCount: Int { queue.withLock { $0.waitingCount } }
}
