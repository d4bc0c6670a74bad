import Glibc

/// Asks before an action that cannot be undone.
enum Confirmation {
    /// Asks the user, and returns whether the user agrees.
    ///
    /// - Parameter action: the action, such as `delete them`.
    /// - Throws: ``CommandFailure`` if there is no terminal to ask on.
    static func ask(_ action: String) throws -> Bool {
        try requireTerminal(action)
        StandardError.writeLine("\(action)? [y/N]")
        let answer = readLine(strippingNewline: true)?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }

    /// Fails if there is no terminal to ask on.
    static func requireTerminal(_ action: String) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
            throw CommandFailure(.usage, "there is no terminal to ask on; add --yes to \(action)")
        }
    }
}
