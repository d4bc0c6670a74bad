import Dispatch
import ModelStore
import Synchronization

/// Runs the tasks of a test one job at a time, in an order that a seed determines. The same seed gives the same schedule; other
/// seeds give other schedules.
///
/// ```swift
/// @Test(arguments: UInt64(1)...200) func `no order of two transfers loses money`(seed: UInt64) async throws {
///     try await SeededExecutor(seed: seed).run {
///         async let one: Void = bank.transfer(5, from: "a", to: "b")
///         async let other: Void = bank.transfer(7, from: "b", to: "a")
///         _ = try await (one, other)
///     }
/// }
/// ```
///
/// In a test with seeds as its arguments, a failure reports the seed, and so the schedule.
///
/// The executor runs the body, its child tasks (`async let`, task groups), the nonisolated functions that they call, and actors
/// without an executor of their own. It does not run:
///
/// - tasks made by `Task { }` and `Task.detached`, unless they are made with `executorPreference:`;
/// - the main actor and other actors with executors;
/// - work on other threads.
///
/// If another thread resumes a continuation, the task becomes ready at that moment, so its order among the others does not depend
/// on the seed. A store commits and makes steps on threads of its own, unless it is opened with the options
/// ``ModelStore/StoreOptions/deterministic(seed:clock:worksOnCallers:)``.
///
/// - `state` is protected by its mutex.
public final class SeededExecutor: TaskExecutor {
    /// The state machine: the ready jobs, and the choice of the next one.
    private struct State {
        var random: TransactionRandom
        var ready: [UnownedJob] = []
        var isRunning = false

        /// Adds a job.
        ///
        /// - Returns: whether the caller has to start running jobs.
        mutating func add(_ job: UnownedJob) -> Bool {
            ready.append(job)
            defer { isRunning = true }
            return !isRunning
        }

        /// Draws the next job; nil if none is ready.
        mutating func next() -> UnownedJob? {
            guard !ready.isEmpty else {
                isRunning = false
                return nil
            }
            return ready.remove(at: Int.random(in: 0..<ready.count, using: &random))
        }
    }

    /// The seed of the schedule.
    public let seed: UInt64
    private let queue = DispatchQueue(label: "modelstore.seeded-executor")
    private let state: Mutex<State>

    /// Creates an executor.
    ///
    /// - Parameter seed: the seed of the schedule.
    public init(seed: UInt64) {
        self.seed = seed
        state = Mutex(State(random: TransactionRandom(seed: seed)))
    }

    /// Runs `body` on this executor, and returns when it has ended.
    ///
    /// Cancelling the calling task cancels the task of the body.
    ///
    /// - Parameter body: the code to run.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`.
    public func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task(executorPreference: self) { try await body() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Enqueues a ready job. The runtime calls this method.
    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        guard state.withLock({ $0.add(unowned) }) else { return }
        queue.async { self.runReady() }
    }

    private func runReady() {
        while let job = state.withLock({ $0.next() }) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
