#if ServiceLifecycle
import LMDB

/// Work that runs to its end even if the task that waits for it is cancelled. A graceful shutdown cancels the loops of consumers,
/// but not the change set that they are processing.
final class UnfinishedWork: Sendable {
    private struct State {
        var isCancelled = false
        var lastNumber = 0
        var tasks: [Int: Task<Void, any Error>] = [:]
    }

    private let state = HandoverMutex(State())

    /// Runs `work` in a task that only ``cancel()`` cancels.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        let number = state.withLock { state in
            state.lastNumber += 1
            state.tasks[state.lastNumber] = task
            if state.isCancelled { task.cancel() }
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.tasks.removeValue(forKey: number) } }
        try await task.value
    }

    /// Cancels all current and future work.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
#endif
