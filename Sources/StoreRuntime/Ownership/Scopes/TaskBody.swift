import LMDB

/// What a scope's task does, and with it what that has captured: all of it is gone when it has run, before the end of the task
/// is told. Kept until the task itself is gone, it would pass for leaked by the scope that ends with the task.
///
/// - `body` is protected by its mutex.
final class TaskBody: Sendable {
    private let body: HandoverMutex<(@Sendable () async throws -> Void)?>

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = HandoverMutex(body) }

    /// Runs it, the first time.
    func run() async throws { try await take()?() }

    private func take() -> (@Sendable () async throws -> Void)? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
