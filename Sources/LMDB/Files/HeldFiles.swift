/// The files of an open environment, to notice when somebody removes or replaces them.
///
/// `lock.mdb` looks like a leftover, but without it the next process makes a new one, sees no other, and writes at the same
/// time: both lose what they acknowledge, and the data file is torn. LMDB itself never looks.
final class HeldFiles: Sendable {
    /// Names the lock file without opening it, since closing an open file would give up LMDB's locks on it. Nil where
    /// there is none, as on read-only media.
    private let lockFile: HandoverMutex<Int32?>
    /// LMDB's own; used while the environment is open.
    private let dataFile: Int32

    init(path: String, dataFile: Int32) {
        lockFile = HandoverMutex(SystemCalls.nameFile(path + "/lock.mdb"))
        self.dataFile = dataFile
    }

    deinit { close() }

    /// Lets go of the names, which would keep a file system from being unmounted.
    func close() {
        lockFile.withLock { lockFile in
            if let file = lockFile { SystemCalls.close(file) }
            lockFile = nil
        }
    }

    /// Fails when a file has no name any more. Renaming the directory is none of that.
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
