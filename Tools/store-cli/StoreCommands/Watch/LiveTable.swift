import Glibc
import StoreEngine
import StoreExpressions
import StoreRuntime
import Synchronization

/// A table on a terminal that is redrawn in place when its rows change.
///
/// Each drawing is one write. It begins at the top, overwrites the old content, and clears only the rest, so the table does not
/// flicker. The cursor is hidden until ``finish()``.
///
/// - `state` is protected by its mutex, which is held while the table is drawn.
final class LiveTable: Screen {
    /// The table's connection to the terminal, which tests replace.
    struct Environment: Sendable {
        /// Returns the terminal's current size; nil if the terminal is gone.
        var size: @Sendable () -> TerminalSize?
        /// Writes text to the terminal.
        var write: @Sendable (String) throws -> Void
        /// Returns whether the terminal would accept text at once.
        var isReady: @Sendable () -> Bool

        /// Standard output.
        static var standardOutput: Environment {
            Environment(
                size: { TerminalSize() },
                write: { text in
                    let output = StandardOutput()
                    output.writeControls(text)
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
        /// Whether the terminal was left to other programs for a while.
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

    /// - Parameter fields: the fields to show, as named on the command line; nil for all.
    init(fields: String?, environment: Environment = .standardOutput) {
        self.fields = fields
        self.environment = environment
    }

    /// Shows a result.
    ///
    /// - Throws: ``ExpressionError`` if a field no longer exists; ``StoreError`` with the code `damaged`; any error of the
    ///   writing.
    func show(_ update: DynamicUpdate) throws {
        try state.withLock { state in
            state.update = update
            if !state.isLeft { try draw(&state) }
        }
    }

    /// Moves the cursor below the table. Nothing is drawn after that.
    func finish() {
        leave(waits: true)
        state.withLock { $0.isFinished = true }
    }

    // MARK: Screen

    // If this drawing fails, the next update reports the failure.
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
        // If this fails, the terminal is gone.
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
