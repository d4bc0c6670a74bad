import Glibc

/// A failed call of the operating system.
struct SystemFailure: Error, CustomStringConvertible {
    let what: String
    let code: Int32

    /// Creates the failure of the last call; `what` names the failed action.
    init(_ what: String, code: Int32 = errno) {
        self.what = what
        self.code = code
    }

    /// Whether a named file does not exist.
    var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

    var description: String { "\(what): \(SystemFailure.text(of: code))" }

    /// Returns the system's message for an error code.
    static func text(of code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
