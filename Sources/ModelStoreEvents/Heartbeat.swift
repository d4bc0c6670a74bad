#if ServerSentEvents
import StoreRuntime
import Synchronization

/// Ends a stream's wait after a silence of a given length. One task serves the whole stream: a cancelled sleep frees its memory
/// only at its deadline, so a task for each wait would accumulate them.
///
/// The task ends with the last reference.
final class Heartbeat: Sendable {
    /// The state that the task and the stream share.
    private final class Silence: Sendable {
        /// When the silence began, in nanoseconds.
        let since = Atomic<Int64>(0)
        /// Whether the silence has reached the limit.
        let isOver = Atomic(false)
    }

    private let silence = Silence()
    /// The nanoseconds since the stream began.
    private let now: @Sendable () -> Int64
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - interval: the longest silence.
    ///   - clock: measures the silence.
    ///   - signal: the signal that the stream waits for.
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

    /// Makes a heartbeat with a clock of any type.
    static func make(after interval: Duration, by clock: any Clock<Duration>, _ signal: Signal) -> Heartbeat {
        func open(_ clock: some Clock<Duration>) -> Heartbeat { Heartbeat(after: interval, by: clock, signal) }
        return open(clock)
    }

    deinit { task.cancel() }

    /// Marks the beginning of a silence.
    func begin() {
        silence.since.store(now(), ordering: .releasing)
        silence.isOver.store(false, ordering: .releasing)
    }

    /// Whether the silence has reached the limit.
    var isDue: Bool { silence.isOver.load(ordering: .acquiring) }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
#endif
