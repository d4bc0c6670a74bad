/// The files of an open environment, to detect when a program removes or replaces them.
///
/// `lock.mdb` looks like a leftover. But without it, the next process creates a new one, sees no other process, and writes at the
/// same time. Both then lose acknowledged commits, and the data file is damaged. LMDB itself never checks.
final class HeldFiles: Sendable {
    /// Refers to the lock file without opening it, because closing an open file would release LMDB's locks on it. Nil if there is
    /// no lock file, as on read-only media.
    private let lockFile: HandoverMutex<Int32?>
    /// LMDB's own descriptor; used while the environment is open.
    private let dataFile: Int32

    init(path: String, dataFile: Int32) {
        lockFile = HandoverMutex(SystemCalls.nameFile(path + "/lock.mdb"))
        self.dataFile = dataFile
    }

    deinit { close() }

    /// Closes the descriptors, which would prevent unmounting the file system.
    func close() {
        lockFile.withLock { lockFile in
            if let file = lockFile { SystemCalls.close(file) }
            lockFile = nil
        }
    }

    /// Throws if a file has no name any more. Renaming the directory does not count.
    func requireNamed(_ operation: StaticString, path: String) throws(LMDBError) {
        let name: String
        if SystemCalls.isUnnamed(dataFile) {
            name = "data.mdb"
        } else if lockFile.withLock({ $0.map(SystemCalls.isUnnamed) ?? false }) {
            name = "lock.mdb"
        } else {
            return
        }
        throw LMDBError(
            .filesRemoved, operation: "\(operation)", path: path,
            detail: "\(name) was removed or replaced while this process had the store open; others may write to it",
            remedy: "close the store in all processes, open it again, and never remove the files of a store in use")
    }
}
