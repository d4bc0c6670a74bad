import Glibc
import Synchronization

/// Shows the progress of long work on standard error, if that is a terminal. Otherwise it does nothing.
///
/// Any thread may report progress, as often as is convenient: the bar draws at most ten times a second. One lock protects the
/// last drawing and its time.
final class ProgressBar: Sendable {
    /// The bar's connection to the terminal and the clock, which tests replace.
    struct Environment: Sendable {
        /// Returns the terminal's current columns; nil if there is no terminal and nothing should be drawn.
        var columns: @Sendable () -> Int?
        /// Returns the current time.
        var now: @Sendable () -> ContinuousClock.Instant
        /// Writes text to the terminal.
        var write: @Sendable (String) -> Void

        /// Standard error and the system's clock.
        static var standardError: Environment {
            Environment(
                columns: { TerminalSize.columns(of: STDERR_FILENO) },
                now: { ContinuousClock.now },
                write: { text in
                    let bytes = Array(text.utf8)
                    // A failure to draw the bar is no reason to stop the work.
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

    /// Creates a bar for work of `total` units; nil if the total is not known.
    init(_ label: String, total: Int?, unit: String, environment: Environment = .standardError) {
        self.label = label
        self.total = total
        self.unit = unit
        self.environment = environment
        start = environment.now()
        isShown = environment.columns() != nil
    }

    /// Reports that `completed` units are done.
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

    /// Clears the bar until the next update, so that a message has the line to itself.
    func clear() {
        state.withLock { state in
            guard isShown, !state.isFinished, state.lastDrawn != nil else { return }
            environment.write(Self.clearLine)
            state.lastText = ""
        }
    }

    /// Clears the bar for good, so that the next output has the line to itself.
    func finish() {
        state.withLock { state in
            if isShown, !state.isFinished, state.lastDrawn != nil { environment.write(Self.clearLine) }
            state.isFinished = true
        }
    }
}
