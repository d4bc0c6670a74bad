import Glibc

/// A call of the operating system that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let what: String
    let code: Int32

    /// The last call's failure; `what` says what could not be done.
    init(_ what: String, code: Int32 = errno) {
        self.what = what
        self.code = code
    }

    /// Whether a file that was named is not there.
    var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

    var description: String { "\(what): \(SystemFailure.text(of: code))" }

    /// The system's words for an error code.
    static func text(of code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
