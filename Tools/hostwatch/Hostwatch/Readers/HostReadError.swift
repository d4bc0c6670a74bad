import Glibc

/// Why a part of the machine's state could not be read.
struct HostReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    var path: String
    /// The line in the file, from 1, if its content is wrong.
    var line: Int?
    /// The system's error code, if the system refused a call.
    var systemCode: Int32?
    /// The description of the problem, without a full stop.
    var reason: String

    /// Creates an error for unexpected content.
    init(path: String, line: Int? = nil, reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// Creates an error for a call that the system refused.
    init(path: String, systemCode: Int32) {
        self.path = path
        self.systemCode = systemCode
        reason = unsafe String(cString: strerror(systemCode))
    }

    /// Whether the file is gone, or hidden from this user.
    var meansAbsent: Bool {
        guard let systemCode else { return false }
        return [ENOENT, ESRCH, ENOTDIR, EACCES, EPERM, ENODEV].contains(systemCode)
    }

    var description: String { line.map { "\(path), line \($0): \(reason)" } ?? "\(path): \(reason)" }
}
