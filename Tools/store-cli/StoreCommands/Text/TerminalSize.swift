import Glibc

/// How wide the terminal is that a file descriptor leads to.
enum TerminalSize {
    private static let defaultColumns = 80

    /// Whether this is a terminal.
    static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

    /// The columns to keep to; nil, which is no limit, when this is no terminal.
    ///
    /// The terminal is asked first, then the variable `COLUMNS`; 80 when neither knows.
    static func columns(of descriptor: CInt = STDOUT_FILENO, environment: (String) -> String? = variable) -> Int? {
        guard isTerminal(descriptor) else { return nil }
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if let text = environment("COLUMNS"), let columns = Int(text), (1...10_000).contains(columns) { return columns }
        return defaultColumns
    }

    /// A variable of this process's environment.
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
