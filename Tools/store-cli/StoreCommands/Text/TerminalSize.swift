import Glibc

/// The size of the terminal behind a file descriptor.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int

    private static let defaultSize = TerminalSize(columns: 80, rows: 24)

    /// Returns whether the descriptor is a terminal.
    static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

    /// Reads the current size; nil if this is no terminal.
    ///
    /// The size comes from the terminal, or else from the variables `COLUMNS` and `LINES`, or else it is 80 by 24.
    init?(of descriptor: CInt = STDOUT_FILENO, environment: (String) -> String? = variable) {
        guard TerminalSize.isTerminal(descriptor) else { return nil }
        var size = winsize()
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        func length(_ known: UInt16, _ name: String) -> Int? {
            if isKnown, known > 0 { return Int(known) }
            guard let text = environment(name), let length = Int(text), (1...10_000).contains(length) else {
                return nil
            }
            return length
        }
        columns = length(size.ws_col, "COLUMNS") ?? TerminalSize.defaultSize.columns
        rows = length(size.ws_row, "LINES") ?? TerminalSize.defaultSize.rows
    }

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// Returns the columns of the terminal; nil, which means no limit, if this is no terminal.
    static func columns(of descriptor: CInt = STDOUT_FILENO, environment: (String) -> String? = variable) -> Int? {
        TerminalSize(of: descriptor, environment: environment)?.columns
    }

    /// Returns whether the cursor of this terminal can be moved.
    static func canMoveCursor(_ descriptor: CInt = STDOUT_FILENO) -> Bool {
        isTerminal(descriptor) && !["", "dumb"].contains(variable("TERM") ?? "")
    }

    /// Returns a variable of this process's environment.
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
