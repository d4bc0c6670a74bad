internal import Glibc

/// The lock on one byte of the wake file, which the kernel gives up when its process ends, however it ends.
///
/// A lock of the open file and not of the process: two holders in one process exclude each other as well.
package final class ExclusiveByte: Sendable {
    // Glibc's overlay does not import its name.
    private static let setLock: Int32 = 37
    private static let getLock: Int32 = 36
    /// Behind what is mapped.
    private static let firstOffset: off_t = 8_192

    private let descriptor: Int32

    /// Takes the lock; nil when somebody has it.
    package init?(_ number: UInt32, of file: WakeFile) throws(LMDBError) {
        descriptor = unsafe Glibc.open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        var lock = ExclusiveByte.wanted(number)
        guard unsafe fcntl(descriptor, ExclusiveByte.setLock, &lock) != 0 else { return }
        let code = errno
        if code == EAGAIN || code == EACCES { return nil }
        throw LMDBError(code: code, operation: "fcntl", path: file.path)
    }

    /// Whether somebody has the lock, in this process or another. Takes nothing, and needs no right but to read the file.
    package static func isTaken(_ number: UInt32, of file: WakeFile) throws(LMDBError) -> Bool {
        let descriptor = unsafe Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        defer { SystemCalls.close(descriptor) }
        var lock = wanted(number)
        guard unsafe fcntl(descriptor, getLock, &lock) == 0 else {
            throw LMDBError(code: errno, operation: "fcntl", path: file.path)
        }
        return lock.l_type != Int16(F_UNLCK)
    }

    private static func wanted(_ number: UInt32) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = firstOffset + off_t(number)
        lock.l_len = 1
        return lock
    }

    deinit { if descriptor >= 0 { SystemCalls.close(descriptor) } }
}
