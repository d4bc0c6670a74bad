internal import Synchronization

/// The files of an open environment, to detect when a program removes, renames or replaces them.
///
/// `lock.mdb` looks like a leftover. But without it, the next process creates a new one, sees no other process, and writes at the
/// same time. Both then lose acknowledged commits, and the data file is damaged. LMDB itself never checks.
///
/// The names are looked up in the directory that was opened first, so a store whose directory was renamed goes on.
///
/// - `descriptors` is protected by its mutex.
/// - `isLost` becomes true once.
final class HeldFiles: Sendable {
    /// A file that must keep its name. Nil stands for a file that was missing, such as `lock.mdb` on read-only media.
    private struct Held {
        let name: String
        let node: FileNode?
    }

    private struct Descriptors {
        let directory: Int32?
        /// Refers to the lock file without opening it, because closing an open file would release LMDB's locks on it. While it is
        /// held, no other file can get the same inode.
        let lockFile: Int32?
    }

    private let descriptors: HandoverMutex<Descriptors?>
    private let held: [Held]
    private let isLost = Atomic(false)

    /// - Parameter dataFile: the data file as LMDB has opened it. LMDB keeps it open, so no other file can get the same inode.
    init(path: String, dataFile: FileNode) {
        let directory = SystemCalls.nameFile(path)
        let lockFile = SystemCalls.nameFile(path + "/lock.mdb")
        descriptors = HandoverMutex(Descriptors(directory: directory, lockFile: lockFile))
        held = [
            Held(name: "data.mdb", node: dataFile),
            Held(name: "lock.mdb", node: lockFile.flatMap(SystemCalls.node(of:))),
        ]
    }

    deinit { close() }

    /// Closes the descriptors, which would prevent unmounting the file system.
    func close() {
        descriptors.withLock { descriptors in
            for case let file? in [descriptors?.directory, descriptors?.lockFile] { SystemCalls.close(file) }
            descriptors = nil
        }
    }

    /// Throws if a name leads to another file than at the opening, or to none. Renaming the directory does not count.
    func requireNamed(_ operation: StaticString, path: String) throws(LMDBError) {
        let lost = descriptors.withLock { descriptors -> String? in
            guard let directory = descriptors?.directory else { return nil }
            return held.first { $0.node != nil && isMoved($0, in: directory) }?.name
        }
        guard let lost else { return }
        isLost.store(true, ordering: .relaxed)
        throw LMDBError(
            .filesRemoved, operation: "\(operation)", path: path,
            detail: "\(lost) was removed, renamed or replaced while this process had the store open",
            remedy: "close the store in all processes, open it again, and never remove the files of a store in use")
    }

    /// Throws if ``requireNamed(_:path:)`` has failed before. One atomic load otherwise.
    func requireNotLost(_ operation: StaticString, path: String) throws(LMDBError) {
        if isLost.load(ordering: .relaxed) { try requireNamed(operation, path: path) }
    }

    private func isMoved(_ file: Held, in directory: Int32) -> Bool {
        switch SystemCalls.entry(file.name, in: directory) {
        case .file(let found): found.node != file.node
        case .missing: true
        // The system cannot say now. A later check finds it.
        case .unknown: false
        }
    }
}
