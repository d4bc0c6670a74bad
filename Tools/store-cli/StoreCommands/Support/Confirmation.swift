import Glibc

/// The question before something that cannot be undone.
enum Confirmation {
    /// Whether the person at the terminal agrees.
    ///
    /// - Parameter action: what is to be done, such as `delete them`.
    /// - Throws: ``CommandFailure`` where nobody can be asked.
    static func ask(_ action: String) throws -> Bool {
        try requireTerminal(action)
        StandardError.writeLine("\(action)? [y/N]")
        let answer = readLine(strippingNewline: true)?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }

    /// Fails where there is no terminal to ask on.
    static func requireTerminal(_ action: String) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
            throw CommandFailure(.usage, "there is no terminal to ask on; add --yes to \(action)")
        }
    }
}
