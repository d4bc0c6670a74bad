import Glibc
import Synchronization

/// Shows on standard error how far long work has come, if that is a terminal; otherwise it does nothing.
///
/// It may be told of progress from any thread and as often as is convenient: it draws at most ten times a second.
/// What it drew last and when is protected by one lock.
final class ProgressBar: Sendable {
    /// What the bar needs of the world outside, so that tests give it another.
    struct Environment: Sendable {
        /// The terminal's columns now; nil when there is none and nothing is to be drawn.
        var columns: @Sendable () -> Int?
        /// The time now.
        var now: @Sendable () -> ContinuousClock.Instant
        /// Puts text on the terminal.
        var write: @Sendable (String) -> Void

        /// Standard error and the system's clock.
        static var standardError: Environment {
            Environment(
                columns: { TerminalSize.columns(of: STDERR_FILENO) },
                now: { ContinuousClock.now },
                write: { text in
                    let bytes = Array(text.utf8)
                    // A bar that cannot be drawn is no reason to stop the work.
                    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
                })
        }
    }

    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var lastText = ""
        var isFinished = false
    }

    private static let interval = Duration.milliseconds(100)
    private static let clearLine = "\r\u{1B}[K"

    private let label: String
    private let total: Int?
    private let unit: String
    private let environment: Environment
    private let start: ContinuousClock.Instant
    private let isShown: Bool
    private let state = Mutex(State())

    /// A bar for work of `total` units; nil when that is not known beforehand.
    init(_ label: String, total: Int?, unit: String, environment: Environment = .standardError) {
        self.label = label
        self.total = total
        self.unit = unit
        self.environment = environment
        start = environment.now()
        isShown = environment.columns() != nil
    }

    /// Says that `completed` units are done.
    func update(to completed: Int) {
        guard isShown else { return }
        let now = environment.now()
        state.withLock { state in
            guard !state.isFinished else { return }
            if let last = state.lastDrawn, now - last < Self.interval { return }
            state.lastDrawn = now
            let line = ProgressLine(label: label, completed: completed, total: total, unit: unit, elapsed: now - start)
            // A line that reaches the last column would make some terminals scroll.
            let text = line.text(width: max((environment.columns() ?? 1) - 1, 1))
            guard text != state.lastText else { return }
            state.lastText = text
            environment.write(Self.clearLine + text)
        }
    }

    /// Takes the bar off the terminal until the next update, so that a message has the line to itself.
    func clear() {
        state.withLock { state in
            guard isShown, !state.isFinished, state.lastDrawn != nil else { return }
            environment.write(Self.clearLine)
            state.lastText = ""
        }
    }

    /// Takes the bar off the terminal, so that what is written next has the line to itself. It stays off.
    func finish() {
        state.withLock { state in
            if isShown, !state.isFinished, state.lastDrawn != nil { environment.write(Self.clearLine) }
            state.isFinished = true
        }
    }
}
