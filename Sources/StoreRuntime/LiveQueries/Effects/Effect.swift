/// A closure that runs again whenever something that it read has changed; ends with its last reference.
///
/// See ``Store/observe(_:)``.
public final class Effect: Sendable {
    private let task: Task<Void, any Error>

    init(_ task: Task<Void, any Error>) { self.task = task }

    deinit { task.cancel() }

    /// Ends the effect: the closure does not begin to run any more. Ending twice does nothing.
    public func cancel() { task.cancel() }

    /// Waits until the effect has ended.
    ///
    /// - Throws: what the closure threw; ``StoreError`` with the code `closed` when the store was closed.
    public func waitUntilEnded() async throws { try await task.value }
}
