import Glibc

/// Why a part of the machine's state could not be read.
struct HostReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    var path: String
    /// The line in it, from 1, when its content is what is wrong.
    var line: Int?
    /// The system's error code, when the system refused.
    var systemCode: Int32?
    /// What is wrong, without a full stop.
    var reason: String

    /// An error for content that is not as expected.
    init(path: String, line: Int? = nil, reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// An error for a call that the system refused.
    init(path: String, systemCode: Int32) {
        self.path = path
        self.systemCode = systemCode
        reason = unsafe String(cString: strerror(systemCode))
    }

    /// Whether what was to be read is gone, or hidden from this user.
    var meansAbsent: Bool {
        guard let systemCode else { return false }
        return [ENOENT, ESRCH, ENOTDIR, EACCES, EPERM, ENODEV].contains(systemCode)
    }

    var description: String { line.map { "\(path), line \($0): \(reason)" } ?? "\(path): \(reason)" }
}
