import Dispatch
import ModelStore
import Synchronization

/// Runs the tasks of a test one job at a time, in an order that a seed draws from those that are ready: the same seed gives the same
/// schedule, and other seeds try others.
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
/// A test with seeds as its arguments names the seed of a failure, and so its schedule.
///
/// What runs here: the body, its child tasks (`async let`, task groups), the functions that they call which are not isolated, and actors
/// without an executor of their own. What stays outside: tasks that are made by `Task { }` and `Task.detached`, unless they are made with
/// `executorPreference:`; the main actor and other actors with executors; and whatever is done on threads of its own. A continuation that
/// such a thread resumes is ready when it comes: how it falls among others is not the seed's. A store commits and makes steps on threads
/// of its own, unless it is opened with the options ``ModelStore/StoreOptions/deterministic(seed:clock:worksOnCallers:)``.
///
/// - `state` is protected by its mutex.
public final class SeededExecutor: TaskExecutor {
    /// The state machine: who is ready, and who comes next.
    private struct State {
        var random: TransactionRandom
        var ready: [UnownedJob] = []
        var isRunning = false

        /// Adds a job.
        ///
        /// - Returns: whether somebody has to begin to run jobs.
        mutating func add(_ job: UnownedJob) -> Bool {
            ready.append(job)
            defer { isRunning = true }
            return !isRunning
        }

        /// Draws the next job; nil where none is ready.
        mutating func next() -> UnownedJob? {
            guard !ready.isEmpty else {
                isRunning = false
                return nil
            }
            return ready.remove(at: Int.random(in: 0..<ready.count, using: &random))
        }
    }

    /// What the schedule is drawn from.
    public let seed: UInt64
    private let queue = DispatchQueue(label: "modelstore.seeded-executor")
    private let state: Mutex<State>

    /// An executor.
    ///
    /// - Parameter seed: what the schedule is drawn from.
    public init(seed: UInt64) {
        self.seed = seed
        state = Mutex(State(random: TransactionRandom(seed: seed)))
    }

    /// Runs `body` here and returns when it has ended.
    ///
    /// Cancelling the task cancels that of the body.
    ///
    /// - Parameter body: what to do.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    public func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task(executorPreference: self) { try await body() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Takes a job that is ready; the runtime calls it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        guard state.withLock({ $0.add(unowned) }) else { return }
        queue.async { self.runReady() }
    }

    private func runReady() {
        while let job = state.withLock({ $0.next() }) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
