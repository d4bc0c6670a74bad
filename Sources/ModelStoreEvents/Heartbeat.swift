#if ServerSentEvents
import StoreRuntime
import Synchronization

/// Ends a stream's wait when it has been silent for a time: with one task for the whole stream, as what a cancelled sleep holds
/// is free only when it would have ended.
///
/// The task ends with the last reference.
final class Heartbeat: Sendable {
    /// What the task and the stream share.
    private final class Silence: Sendable {
        /// Since when there is one, in nanoseconds.
        let since = Atomic<Int64>(0)
        /// Whether it was as long as it may be.
        let isOver = Atomic(false)
    }

    private let silence = Silence()
    /// Nanoseconds since the stream began.
    private let now: @Sendable () -> Int64
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - interval: how long a silence may be.
    ///   - clock: measures it.
    ///   - signal: what the stream waits for.
    init<C: Clock<Duration>>(after interval: Duration, by clock: C, _ signal: Signal) {
        let start = clock.now
        let now: @Sendable () -> Int64 = { start.duration(to: clock.now).wholeNanoseconds }
        let length = interval.wholeNanoseconds
        self.now = now
        task = Task { [silence] in
            while !Task.isCancelled {
                let end = silence.since.load(ordering: .acquiring) + length
                if now() >= end {
                    silence.since.store(now(), ordering: .releasing)
                    silence.isOver.store(true, ordering: .releasing)
                    signal.raise()
                } else {
                    let end = start.advanced(by: .nanoseconds(end))
                    do { try await clock.sleep(until: end, tolerance: nil) } catch { return }
                }
            }
        }
    }

    /// One with a clock of any kind.
    static func make(after interval: Duration, by clock: any Clock<Duration>, _ signal: Signal) -> Heartbeat {
        func open(_ clock: some Clock<Duration>) -> Heartbeat { Heartbeat(after: interval, by: clock, signal) }
        return open(clock)
    }

    deinit { task.cancel() }

    /// Notes that a silence begins.
    func begin() {
        silence.since.store(now(), ordering: .releasing)
        silence.isOver.store(false, ordering: .releasing)
    }

    /// Whether the silence has been as long as it may be.
    var isDue: Bool { silence.isOver.load(ordering: .acquiring) }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
#endif
