import Dispatch
import Synchronization

/// Runs asynchronous work while the command's thread waits.
enum AsyncWork {
    /// Runs `body` in a task and blocks until it ends.
    ///
    /// - Parameter interruption: may end the work early, by cancelling the task.
    static func run<T: Sendable>(
        endedBy interruption: Interruption = Interruption(), _ body: @escaping @Sendable () async throws -> T
    ) throws -> T {
        let outcome = Outcome<T>()
        let isOver = DispatchSemaphore(value: 0)
        let task = Task {
            do {
                outcome.set(.success(try await body()))
            } catch {
                outcome.set(.failure(error))
            }
            isOver.signal()
        }
        interruption.onRequest { task.cancel() }
        isOver.wait()
        return try outcome.get()
    }

    /// The outcome of the work. It is set before it is read.
    private final class Outcome<T: Sendable>: Sendable {
        private let result = Mutex<Result<T, any Error>?>(nil)

        func set(_ value: Result<T, any Error>) { result.withLock { $0 = value } }

        func get() throws -> T {
            guard let result = result.withLock({ $0 }) else { preconditionFailure("the work has ended") }
            return try result.get()
        }
    }
}
