public import Foundation
import Synchronization

/// A clock that only a test moves: no test has to sleep, and none depends on the speed of a machine.
///
/// ```swift
/// let clock = TestClock()
/// var options = StoreOptions()
/// options.clock = clock.date                          // the times of transactions and of the feed
/// options.ownership = OwnershipOptions(clock: clock)  // ages and grace periods
///
/// let task = Task { try await poller.run(by: clock) }
/// try await clock.untilSleeping()                     // the task has come to its pause
/// clock.advance(by: .seconds(30))                     // the pause is over
/// ```
///
/// Sleepers wake in the order of their deadlines, and sleepers with the same deadline in the order in which they fell asleep. A
/// woken task runs on its own executor, so it may still be running when ``advance(by:)`` returns. Wait for the result of its
/// work, or use ``untilSleeping(_:)`` to wait for its next pause.
///
/// - `state` is protected by its mutex. Sleepers are woken outside of it.
public final class TestClock: Clock, Sendable {
    /// A time on the clock.
    public struct Instant: InstantProtocol, Codable, CustomStringConvertible {
        /// The time since the clock was made.
        public let offset: Duration

        /// The time at an offset from the creation of the clock.
        public init(offset: Duration) { self.offset = offset }

        /// Returns the time that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns how much later another time is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Returns whether one time is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        public var description: String { "\(offset)" }
    }

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    /// The date that the clock shows when it is created.
    public let start: Date
    private let state = Mutex(SleepQueue<Sleeper, Sleeper>())

    /// Creates a clock that shows zero.
    ///
    /// - Parameter start: the date that it shows then. By default, the first moment of 2001 (UTC).
    public init(startingAt start: Date = Date(timeIntervalSinceReferenceDate: 0)) { self.start = start }

    // MARK: Reading

    /// The current time of the clock.
    public var now: Instant { state.withLock { Instant(offset: $0.now) } }

    /// One nanosecond, because the deadlines of sleepers have no finer resolution.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Returns the time as a date, for ``/ModelStore/StoreOptions/clock``.
    public var date: @Sendable () -> Date {
        { [self] in start.addingTimeInterval(now.offset / .seconds(1)) }
    }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.count } }

    /// The earliest deadline; nil if no task sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.nextDeadline.map { Instant(offset: $0) } } }

    // MARK: Sleeping

    /// Waits until the clock reaches a time.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (sleeper: Sleeper) in
                let watchers = state.withLock { state -> [Sleeper]? in
                    // The canceller marks the task before it looks for the sleeper here, so either this check or the canceller
                    // sees the other.
                    if Task.isCancelled || deadline.offset <= state.now { return nil }
                    return state.sleep(number, until: deadline.offset, sleeper)
                }
                guard let watchers else { return sleeper.resume(with: Self.outcome) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.cancelSleep(number) }?.resume(throwing: CancellationError())
        }
    }

    /// Waits until at least this many tasks sleep.
    ///
    /// - Parameter count: the number of tasks, at least 1.
    /// - Throws: `CancellationError` as soon as the task is cancelled, for example by a test's time limit.
    public func untilSleeping(_ count: Int = 1) async throws {
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (watcher: Sleeper) in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.count >= count { return true }
                    state.watch(number, count: count, watcher)
                    return false
                }
                if isOver { watcher.resume(with: Self.outcome) }
            }
        } onCancel: {
            state.withLock { $0.cancelWatch(number) }?.resume(throwing: CancellationError())
        }
    }

    /// The outcome of a wait that need not begin.
    private static var outcome: Result<Void, any Error> {
        Task.isCancelled ? .failure(CancellationError()) : .success(())
    }

    // MARK: Moving

    /// Moves the clock forward, and wakes the sleepers whose deadlines it reaches.
    ///
    /// - Parameter duration: by how much, not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a TestClock cannot go back by \(duration)")
        wake(state.withLock { $0.move(to: $0.now + duration) })
    }

    /// Moves the clock to a time, and wakes the sleepers whose deadlines it reaches.
    ///
    /// - Parameter instant: the time, not before ``now``.
    public func advance(to instant: Instant) {
        let sleepers = state.withLock { state in
            precondition(instant.offset >= state.now, "a TestClock cannot go back from \(state.now) to \(instant)")
            return state.move(to: instant.offset)
        }
        wake(sleepers)
    }

    /// Moves the clock to the earliest deadline.
    ///
    /// - Returns: whether a task slept.
    @discardableResult
    public func advanceToNextDeadline() -> Bool {
        let sleepers = state.withLock { state in state.nextDeadline.map { state.move(to: $0) } ?? [] }
        wake(sleepers)
        return !sleepers.isEmpty
    }

    private func wake(_ sleepers: [Sleeper]) {
        for sleeper in sleepers { sleeper.resume() }
    }
}
