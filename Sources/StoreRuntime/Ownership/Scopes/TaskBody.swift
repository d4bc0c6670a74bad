import LMDB

/// The closure of a scope's task. It is released with its captures as soon as it has run, before the end of the task is reported.
/// If the task kept them until it is gone itself, they would count as leaked by the scope that ends with the task.
///
/// - `body` is protected by its mutex.
final class TaskBody: Sendable {
    private let body: HandoverMutex<(@Sendable () async throws -> Void)?>

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = HandoverMutex(body) }

    /// Runs the closure, the first time.
    func run() async throws { try await take()?() }

    private func take() -> (@Sendable () async throws -> Void)? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
