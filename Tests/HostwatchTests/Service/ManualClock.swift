import Synchronization

/// A clock that a test advances.
///
/// - `state` is protected by its mutex.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleeper: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let sleeps: AsyncStream<Instant>
    private let tellSleep: AsyncStream<Instant>.Continuation

    init() { (sleeps, tellSleep) = AsyncStream.makeStream() }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until ``advance(by:)`` reaches the deadline. Only one task may sleep at a time.
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.sleeper = (deadline, continuation) }
                    return state.isCancelled
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                tellSleep.yield(deadline)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.isCancelled = true
                defer { state.sleeper = nil }
                return state.sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task sleeps, once for each sleep.
    ///
    /// - Returns: The deadline.
    @discardableResult
    func awaitSleep() async -> Instant? {
        for await deadline in sleeps { return deadline }
        return nil
    }

    /// Advances the time.
    func advance(by duration: Duration) {
        let woken = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            state.now = state.now.advanced(by: duration)
            guard let sleeper = state.sleeper, sleeper.deadline <= state.now else { return nil }
            state.sleeper = nil
            return sleeper.continuation
        }
        woken?.resume()
    }
}
