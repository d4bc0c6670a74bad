import Glibc
package import StoreEngine

extension StoreError {
    /// Creates the error of a file operation that the system refused.
    ///
    /// - Parameters:
    ///   - what: the failed operation, as a sentence.
    ///   - code: the system's error code; by default, that of the last call.
    package init(failed what: String, code: Int32 = errno) {
        let kind: Code =
            switch code {
            case ENOSPC, EDQUOT: .diskFull
            case EACCES, EPERM, EROFS: .accessDenied
            default: .ioError
            }
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        self.init(kind, "\(what): \(reason)")
    }
}
