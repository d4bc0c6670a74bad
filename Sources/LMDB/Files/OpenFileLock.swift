internal import Glibc

/// Locks on single bytes of files that belong to an open file, and not to the process as POSIX locks do: two that
/// open a file in one process exclude each other as well.
///
/// An open file may have more descriptors than one: a child process has them all from `fork` until it runs another program,
/// those that are closed then too. Closing one's own descriptor therefore gives a lock up some time later if another thread
/// starts a process just then; ``giveUp(byte:of:)`` does it at once.
///
/// `fcntl(2)`, "Open file description locks (non-POSIX)".
enum OpenFileLock {
    // Glibc's overlay does not import their names.
    private static let set: Int32 = 37
    private static let get: Int32 = 36

    /// Takes the lock on a byte; false where somebody has it.
    ///
    /// - Throws: ``LMDBError`` when the system has no locks for the file.
    static func take(byte offset: Int, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        try take(lock(offset, F_WRLCK), of: descriptor, path: path)
    }

    private static func take(_ wanted: flock, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        var lock = wanted
        guard unsafe fcntl(descriptor, set, &lock) != 0 else { return true }
        let code = errno
        if code == EAGAIN || code == EACCES { return false }
        throw LMDBError(code: code, operation: "fcntl", path: path)
    }

    /// Shares the lock on a byte; false where another open file has it alone. Needs no right but to read the file.
    ///
    /// - Throws: ``LMDBError`` when the system has no locks for the file.
    static func share(byte offset: Int, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        try take(lock(offset, F_RDLCK), of: descriptor, path: path)
    }

    /// Whether somebody has the lock on a byte, by another open file. Needs no right but to read the file.
    static func isTaken(byte offset: Int, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        var lock = lock(offset, F_WRLCK)
        guard unsafe fcntl(descriptor, get, &lock) == 0 else {
            throw LMDBError(code: errno, operation: "fcntl", path: path)
        }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// Gives the lock on a byte up, whoever else has a descriptor of the open file.
    static func giveUp(byte offset: Int, of descriptor: Int32) {
        var lock = lock(offset, F_UNLCK)
        _ = unsafe fcntl(descriptor, set, &lock)
    }

    private static func lock(_ offset: Int, _ type: Int32) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(offset)
        lock.l_len = 1
        return lock
    }
}
