import Synchronization

/// Whether all parts of a service have begun. Each says so as often as it likes.
///
/// - `missing` is protected by its mutex.
final class Readiness: Sendable {
    private let missing: Mutex<Set<String>>
    private let stream: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation

    /// - Parameter parts: those that have to begin.
    init(_ parts: Set<String>) {
        missing = Mutex(parts)
        (stream, end) = AsyncStream.makeStream()
        if parts.isEmpty { end.finish() }
    }

    /// Whether all have.
    var isReached: Bool { missing.withLock { $0.isEmpty } }

    /// Says that a part has begun.
    func note(_ part: String) {
        let isReached = missing.withLock { missing in
            missing.remove(part)
            return missing.isEmpty
        }
        if isReached { end.finish() }
    }

    /// Waits until all have, or the task is cancelled. For one task.
    func reached() async { for await _ in stream {} }
}
