public import Foundation
import Synchronization

/// A clock that stands until a test moves it: no test sleeps, and none depends on how fast a machine is.
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
/// Sleepers wake in the order of their deadlines, and those of one deadline in the order in which they fell asleep. What a woken
/// task does runs where its executor runs it, so it may still be at it when ``advance(by:)`` returns: wait for what it does, or with
/// ``untilSleeping(_:)`` for its next pause.
///
/// - `state` is protected by its mutex; whoever is to wake is woken outside of it.
public final class TestClock: Clock, Sendable {
    /// A time on the clock.
    public struct Instant: InstantProtocol, Codable, CustomStringConvertible {
        /// The time since the clock was made.
        public let offset: Duration

        /// The time so long after the clock was made.
        public init(offset: Duration) { self.offset = offset }

        /// The time so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// How much later another time is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether one time is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        public var description: String { "\(offset)" }
    }

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    /// What the clock shows as a date when it is made.
    public let start: Date
    private let state = Mutex(SleepQueue<Sleeper, Sleeper>())

    /// A clock that shows zero.
    ///
    /// - Parameter start: what it shows as a date then; without, the first moment of 2001 (UTC).
    public init(startingAt start: Date = Date(timeIntervalSinceReferenceDate: 0)) { self.start = start }

    // MARK: Reading

    /// What the clock shows.
    public var now: Instant { state.withLock { Instant(offset: $0.now) } }

    /// A nanosecond, as what the clock is compared with has no finer one.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Shows the time as a date, for ``StoreOptions/clock``.
    public var date: @Sendable () -> Date {
        { [self] in start.addingTimeInterval(now.offset / .seconds(1)) }
    }

    /// How many tasks sleep.
    public var sleeperCount: Int { state.withLock { $0.count } }

    /// When the first of them is to wake; nil when none sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.nextDeadline.map { Instant(offset: $0) } } }

    // MARK: Sleeping

    /// Waits until the clock has been moved to a time, or past it.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (sleeper: Sleeper) in
                let watchers = state.withLock { state -> [Sleeper]? in
                    // Whoever cancels marks the task before it looks for the sleeper here: one of the two sees the other.
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

    /// Waits until so many tasks sleep, or more.
    ///
    /// - Parameter count: how many, at least 1.
    /// - Throws: `CancellationError` as soon as the task is cancelled, as by a test's time limit.
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

    /// How a wait ends that need not begin.
    private static var outcome: Result<Void, any Error> {
        Task.isCancelled ? .failure(CancellationError()) : .success(())
    }

    // MARK: Moving

    /// Moves the clock on, and wakes whoever's time has come.
    ///
    /// - Parameter duration: by how much, not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a TestClock was to go back by \(duration)")
        wake(state.withLock { $0.move(to: $0.now + duration) })
    }

    /// Moves the clock to a time, and wakes whoever's time has come.
    ///
    /// - Parameter instant: the time, not before ``now``.
    public func advance(to instant: Instant) {
        let sleepers = state.withLock { state in
            precondition(instant.offset >= state.now, "a TestClock was to go back from \(state.now) to \(instant)")
            return state.move(to: instant.offset)
        }
        wake(sleepers)
    }

    /// Moves the clock to the first deadline that anybody sleeps for.
    ///
    /// - Returns: whether anybody slept.
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
