internal import Glibc

/// The lock on the first byte of `lock.mdb`, held alone.
///
/// LMDB holds a shared lock there for as long as an environment is open, and the one who opens it first holds it alone
/// for a moment. Whoever holds it alone therefore knows that the environment is open nowhere, and makes others who open
/// it wait. They must not go on as if nothing had happened: LMDB trusts the reader table of a file that somebody else has
/// locked. So its beginning is wiped before the lock is given back. Those who waited find that and try again.
///
/// Closing a descriptor of the lock file gives up the locks of the whole process: only for a directory whose environment
/// this process does not have open, and cannot open meanwhile.
package struct LockFile: ~Copyable {
    /// LMDB's header of the reader table: magic, format and the counters behind it.
    private static let headerByteCount = 4_096

    package let descriptor: Int32

    /// Takes the lock of the environment in a directory, making the file if need be; nil when somebody holds it.
    package static func take(in directory: String, fileMode: UInt32) throws(LMDBError) -> LockFile? {
        let path = directory + "/lock.mdb"
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, fileMode)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        do {
            // It conflicts with LMDB's own locks, those of this process included.
            if try OpenFileLock.take(byte: 0, of: descriptor, path: path) { return LockFile(descriptor: descriptor) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        Glibc.close(descriptor)
        return nil
    }

    /// Wipes the reader table and gives the lock back.
    package borrowing func release() {
        let nothing = [UInt8](repeating: 0, count: Self.headerByteCount)
        _ = unsafe nothing.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        OpenFileLock.giveUp(byte: 0, of: descriptor)
        Glibc.close(descriptor)
    }
}
