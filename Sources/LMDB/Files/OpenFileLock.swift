internal import CLMDB
internal import Glibc

/// Locks on single bytes of files. They belong to an open file, and not to the process as POSIX locks do. Two opens of a file in
/// one process therefore exclude each other too.
///
/// An open file may have several descriptors. From `fork` until it runs another program, a child process has copies of all
/// descriptors, even of those that the parent closes in the meantime. If another thread is starting a process at that moment,
/// closing the descriptor here releases the lock only some time later. ``giveUp(byte:of:)`` releases it at once.
///
/// `fcntl(2)`, "Open file description locks (non-POSIX)".
enum OpenFileLock {
    // Glibc's overlay does not import these constants.
    private static let set: Int32 = 37
    private static let get: Int32 = 36

    /// Takes the exclusive lock on a byte; returns false if it is taken.
    ///
    /// - Throws: ``LMDBError`` if the system does not support locks for the file.
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

    /// Takes a shared lock on a byte; returns false if another open file has it exclusively. Needs only read access to the file.
    ///
    /// - Throws: ``LMDBError`` if the system does not support locks for the file.
    static func share(byte offset: Int, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        try take(lock(offset, F_RDLCK), of: descriptor, path: path)
    }

    /// Returns whether another open file has a lock on a byte. Needs only read access to the file.
    static func isTaken(byte offset: Int, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        try conflicts(lock(offset, F_WRLCK), of: descriptor, path: path)
    }

    /// Returns whether another open file has the exclusive lock on a byte. Needs only read access to the file.
    static func isTakenExclusively(byte offset: Int, of descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        try conflicts(lock(offset, F_RDLCK), of: descriptor, path: path)
    }

    private static func conflicts(
        _ wanted: flock, of descriptor: Int32, path: String
    ) throws(LMDBError) -> Bool {
        var lock = wanted
        guard unsafe fcntl(descriptor, get, &lock) == 0 else {
            throw LMDBError(code: errno, operation: "fcntl", path: path)
        }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// Releases the lock on a byte, even if other descriptors of the open file exist.
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
