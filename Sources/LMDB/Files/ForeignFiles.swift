internal import Glibc

/// Files of other programs that have the names of a store's files, in a directory without a data file. Making a store there would
/// overwrite them.
package enum ForeignFiles {
    /// Returns the names of such files.
    ///
    /// A file that is empty or begins with zeros is not among them: an interrupted creation leaves such files. Links and files
    /// that are not regular are not either: opening refuses them.
    ///
    /// - Parameter readsLockFile: whether to look at `lock.mdb`. Closing its descriptor releases LMDB's locks, so this process
    ///   must neither have the environment open, nor be able to open it in the meantime.
    package static func names(in directory: String, readsLockFile: Bool) -> [String] {
        let dataFile = directory + "/data.mdb"
        guard SystemCalls.node(at: dataFile) == nil else { return [] }
        let names = (readsLockFile ? ["lock.mdb"] : []) + [WakeFile.name] + RedoFiles.names
        let found = names.filter { isForeign(directory + "/" + $0, $0) }
        // Another process may have made a store in the meantime.
        return SystemCalls.node(at: dataFile) == nil ? found : []
    }

    /// Throws if there are such files. The caller is about to open the environment, and no other thread of this process can.
    static func requireNone(in directory: String) throws(LMDBError) {
        let names = names(in: directory, readsLockFile: true)
        if names.isEmpty { return }
        throw LMDBError(
            .notAStore, operation: "open", path: directory,
            detail: "\(directory) holds no store, but other files: \(names.joined(separator: ", "))",
            remedy: "choose an empty directory, or one that does not exist")
    }

    private static func isForeign(_ path: String, _ name: String) -> Bool {
        guard let descriptor = try? StoreFile.open(path, isReadOnly: true) else { return false }
        defer { SystemCalls.close(descriptor) }
        guard let byteCount = SystemCalls.byteCount(of: descriptor),
            let beginning = SystemCalls.read(descriptor, at: 0, count: RedoLogFile.firstOffset),
            // LMDB writes the mutexes of a new lock file before its first bytes.
            beginning.prefix(4).contains(where: { $0 != 0 })
        else { return false }
        return switch name {
        case WakeFile.name: !beginning.starts(with: WakeFile.magic)
        case CheckpointFile.name: !CheckpointRecord.magics.contains { beginning.starts(with: $0) }
        case RedoLogFile.name: !RedoLogFile.canBegin(with: beginning, byteCount: byteCount)
        default: !beginning.starts(with: LockFileMap.beginning)
        }
    }
}
