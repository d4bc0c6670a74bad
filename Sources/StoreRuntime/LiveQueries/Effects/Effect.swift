/// A closure that reruns whenever a value that it read has changed. The effect ends with its last reference.
///
/// See ``Store/observe(file:line:_:)``.
public final class Effect: Sendable {
    private let task: Task<Void, any Error>

    init(_ task: Task<Void, any Error>) { self.task = task }

    deinit { task.cancel() }

    /// Ends the effect: the closure does not start again. Cancelling twice does nothing.
    public func cancel() { task.cancel() }

    /// Waits until the effect has ended.
    ///
    /// - Throws: the error of the closure; ``StoreError`` with the code `closed` if the store was closed.
    public func waitUntilEnded() async throws { try await task.value }
}
