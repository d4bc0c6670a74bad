import Glibc
import StoreEngine
import StoreExpressions
import StoreRuntime
import Synchronization

/// A table on a terminal that is drawn in place whenever its rows change.
///
/// Each drawing is one write that begins at the top, goes over what is there, and clears only what is left over, so that
/// nothing flickers. The cursor is hidden until ``finish()``.
/// - `state` is protected by its mutex, which is held while something is drawn.
final class LiveTable: Screen {
    /// What the table needs of the world outside, so that tests give it another.
    struct Environment: Sendable {
        /// The terminal's size now; nil when there is none any more.
        var size: @Sendable () -> TerminalSize?
        /// Puts text on the terminal.
        var write: @Sendable (String) throws -> Void
        /// Whether the terminal would take text at once.
        var isReady: @Sendable () -> Bool

        /// Standard output.
        static var standardOutput: Environment {
            Environment(
                size: { TerminalSize() },
                write: { text in
                    let output = StandardOutput()
                    try output.write(text)
                    try output.flush()
                },
                isReady: {
                    var wanted = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                    return unsafe poll(&wanted, 1, 0) == 1 && wanted.revents & Int16(POLLOUT) != 0
                })
        }
    }

    private struct State {
        var update: DynamicUpdate?
        var drawing: LiveTableDrawing?
        var isCursorHidden = false
        /// Whether the terminal was left to others for a while.
        var isLeft = false
        var isFinished = false
    }

    /// The shortest time between two drawings.
    static let interval = Duration.milliseconds(100)

    private static let hideCursor = "\u{1B}[?25l"
    private static let showCursor = "\u{1B}[?25h"

    private let fields: String?
    private let environment: Environment
    private let state = Mutex(State())

    /// - Parameter fields: the fields to show, as they are named on the command line; nil for all.
    init(fields: String?, environment: Environment = .standardOutput) {
        self.fields = fields
        self.environment = environment
    }

    /// Shows a result.
    ///
    /// - Throws: ``ExpressionError`` when the fields are not there any more; ``StoreError`` with the code `damaged`; what the
    ///   writing throws.
    func show(_ update: DynamicUpdate) throws {
        try state.withLock { state in
            state.update = update
            if !state.isLeft { try draw(&state) }
        }
    }

    /// Puts the cursor below the table. Nothing is drawn any more.
    func finish() {
        leave(waits: true)
        state.withLock { $0.isFinished = true }
    }

    // MARK: Screen

    // What cannot be drawn now is noticed by the next update.
    func redraw() {
        state.withLock { state in
            state.isLeft = false
            try? draw(&state)
        }
    }

    func leave(waits: Bool) {
        if waits {
            state.withLock { leave(&$0) }
        } else if environment.isReady() {
            _ = state.withLockIfAvailable { leave(&$0) }
        }
    }

    private func leave(_ state: inout State) {
        state.isLeft = true
        guard state.isCursorHidden else { return }
        state.isCursorHidden = false
        // It is the terminal that is gone.
        try? environment.write(Self.showCursor + "\n")
    }

    private func draw(_ state: inout State) throws {
        guard !state.isFinished, let update = state.update, let size = environment.size() else { return }
        if state.drawing?.fits(size, update.rows.type) != true {
            state.drawing = try LiveTableDrawing(fields, update.rows, size)
        }
        guard let text = try state.drawing?.text(update) else { return }
        try environment.write(state.isCursorHidden ? text : Self.hideCursor + text)
        state.isCursorHidden = true
    }
}
