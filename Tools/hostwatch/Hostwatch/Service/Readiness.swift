import Synchronization

/// Records whether all parts of a service have started. Each part may report this more than once.
///
/// - `missing` is protected by its mutex.
final class Readiness: Sendable {
    private let missing: Mutex<Set<String>>
    private let stream: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation

    /// - Parameter parts: the parts that must start.
    init(_ parts: Set<String>) {
        missing = Mutex(parts)
        (stream, end) = AsyncStream.makeStream()
        if parts.isEmpty { end.finish() }
    }

    /// Whether all parts have started.
    var isReached: Bool { missing.withLock { $0.isEmpty } }

    /// Records that a part has started.
    func note(_ part: String) {
        let isReached = missing.withLock { missing in
            missing.remove(part)
            return missing.isEmpty
        }
        if isReached { end.finish() }
    }

    /// Waits until all parts have started, or the task is cancelled. For one task only.
    func reached() async { for await _ in stream {} }
}
