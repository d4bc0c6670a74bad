internal import Glibc

/// The exclusive lock on the first byte of `lock.mdb`.
///
/// LMDB holds a shared lock there as long as an environment is open. The process that opens it first holds the lock exclusively
/// for a moment. A process that holds the exclusive lock therefore knows that the environment is open nowhere, and other
/// processes that open it wait.
///
/// After the wait they must not use the lock file as it is: LMDB trusts the reader table of a file that another process has
/// locked. The beginning of the file is therefore overwritten with zeros before the lock is released. Waiting processes detect
/// this and retry.
///
/// Closing a descriptor of the lock file releases the locks of the whole process. Use this type only for a directory whose
/// environment this process does not have open, and cannot open in the meantime.
package struct LockFile: ~Copyable {
    /// LMDB's header of the reader table: magic, format and the counters after them.
    private static let headerByteCount = 4_096

    package let descriptor: Int32

    /// Takes the lock of the environment in a directory, and creates the file if it does not exist; nil if the lock is taken.
    package static func take(in directory: String, fileMode: UInt32) throws(LMDBError) -> LockFile? {
        let path = directory + "/lock.mdb"
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, fileMode)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        do {
            // It conflicts with LMDB's own locks, including those of this process.
            if try OpenFileLock.take(byte: 0, of: descriptor, path: path) { return LockFile(descriptor: descriptor) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        Glibc.close(descriptor)
        return nil
    }

    /// Takes the lock of an environment that is about to be opened; nil if the lock is taken.
    ///
    /// - Throws: ``LMDBError``, also for files that opening refuses, before any file is made.
    package static func take(
        in directory: String, beforeOpeningWith options: LMDBEnvironment.Options
    ) throws(LMDBError) -> LockFile? {
        try FileEntry.requireOwnFiles(of: directory)
        try ForeignFiles.requireNone(in: directory)
        guard let lock = try take(in: directory, fileMode: options.fileMode) else { return nil }
        if SystemCalls.byteCount(of: lock.descriptor) == 0 {
            _ = fchmod(lock.descriptor, options.fileMode)
            // A process that waits for the lock maps the file afterwards, which must not be empty then.
            _ = ftruncate(lock.descriptor, SpaceReservation.lockFileByteCount(maximumReaders: options.maximumReaders))
        }
        return lock
    }

    /// Whether a process holds the lock exclusively: it is opening, creating or recovering the environment.
    static func isTakenExclusively(in directory: String) throws(LMDBError) -> Bool {
        let path = directory + "/lock.mdb"
        guard let descriptor = try StoreFile.open(path, isReadOnly: true) else { return false }
        defer { SystemCalls.close(descriptor) }
        return try OpenFileLock.isTakenExclusively(byte: 0, of: descriptor, path: path)
    }

    /// Overwrites the reader table and releases the lock. The size of the file says how many readers it has slots for, and stays.
    package borrowing func release() {
        let byteCount = SystemCalls.byteCount(of: descriptor) ?? 0
        let count = byteCount == 0 ? Self.headerByteCount : min(byteCount, Self.headerByteCount)
        let nothing = [UInt8](repeating: 0, count: count)
        _ = unsafe nothing.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        OpenFileLock.giveUp(byte: 0, of: descriptor)
        Glibc.close(descriptor)
    }
}
