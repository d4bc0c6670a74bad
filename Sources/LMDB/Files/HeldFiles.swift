internal import Synchronization

/// The files of an open environment, to detect when a program removes, renames, replaces or cuts them.
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

    private static let dataFile = "data.mdb"

    private let descriptors: HandoverMutex<Descriptors?>
    private let held: [Held]
    private let isLost = Atomic(false)

    /// - Parameters:
    ///   - dataFile: the data file as LMDB has opened it. LMDB keeps it open, so no other file can get the same inode.
    ///   - others: the names of further files that this process keeps open.
    init(path: String, dataFile: FileNode, others: [String]) {
        let directory = SystemCalls.nameFile(path)
        let lockFile = SystemCalls.nameFile(path + "/lock.mdb")
        descriptors = HandoverMutex(Descriptors(directory: directory, lockFile: lockFile))
        held =
            [
                Held(name: Self.dataFile, node: dataFile),
                Held(name: "lock.mdb", node: lockFile.flatMap(SystemCalls.node(of:))),
            ] + others.map { Held(name: $0, node: SystemCalls.node(at: path + "/" + $0)) }
    }

    deinit { close() }

    /// Closes the descriptors, which would prevent unmounting the file system.
    func close() {
        descriptors.withLock { descriptors in
            for case let file? in [descriptors?.directory, descriptors?.lockFile] { SystemCalls.close(file) }
            descriptors = nil
        }
    }

    /// A change that ends the use of the files.
    private enum Loss {
        case moved(String)
        case cut(byteCount: Int)
    }

    /// Throws if a name leads to another file than at the opening, or to none, or if the data file was cut. Renaming the
    /// directory does not count.
    ///
    /// - Parameter leastBytes: how long the data file was at least; LMDB never makes it shorter.
    func requireWhole(_ operation: StaticString, path: String, leastBytes: Int) throws(LMDBError) {
        let loss = descriptors.withLock { descriptors -> Loss? in
            guard let directory = descriptors?.directory else { return nil }
            for file in held where file.node != nil {
                if let loss = self.loss(of: file, in: directory, leastBytes) { return loss }
            }
            return nil
        }
        guard let loss else { return }
        isLost.store(true, ordering: .relaxed)
        switch loss {
        case .moved(let name):
            throw LMDBError(
                .filesRemoved, operation: "\(operation)", path: path,
                detail: "\(name) was removed, renamed or replaced while this process had the store open",
                remedy: "close the store in all processes, open it again, and never remove the files of a store in use")
        case .cut(let byteCount):
            throw LMDBError(
                .truncated, operation: "\(operation)", path: path,
                detail: "data.mdb was cut to \(byteCount) bytes while this process had the store open",
                remedy: "close the store in all processes, and restore it from a copy")
        }
    }

    /// Throws if ``requireWhole(_:path:leastBytes:)`` has failed before. One atomic load otherwise.
    func requireNotLost(_ operation: StaticString, path: String, leastBytes: Int) throws(LMDBError) {
        if isLost.load(ordering: .relaxed) { try requireWhole(operation, path: path, leastBytes: leastBytes) }
    }

    private func loss(of file: Held, in directory: Int32, _ leastBytes: Int) -> Loss? {
        switch SystemCalls.entry(file.name, in: directory) {
        case .file(let found) where found.node != file.node: .moved(file.name)
        case .file(let found) where file.name == Self.dataFile && found.byteCount < leastBytes:
            .cut(byteCount: found.byteCount)
        case .file: nil
        case .missing: .moved(file.name)
        // The system cannot say now. A later check finds it.
        case .unknown: nil
        }
    }
}
