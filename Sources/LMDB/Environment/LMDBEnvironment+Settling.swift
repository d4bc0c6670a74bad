internal import CLMDB
internal import Synchronization

/// The meta pages after a failed sync.
///
/// When a sync fails, Linux takes the pages for written: the next sync succeeds without them. A meta page on the disk can then be
/// older or newer than the one that programs see. LMDB would reuse pages that the meta page on the disk still needs, and a loss
/// of power would leave a damaged file. So both meta pages are written again and synced before the next write transaction.
///
/// Linux since 4.13 reports a failed sync once for each open file: https://lwn.net/Articles/752063/
extension LMDBEnvironment {
    /// The files whose meta pages have to be written again, also after the environment was closed and opened again.
    private static let unsettledFiles = HandoverMutex<Set<FileNode>>([])

    /// Returns whether the meta pages of a file have to be written again.
    static func isUnsettled(_ node: FileNode) -> Bool { unsettledFiles.withLock { $0.contains(node) } }

    /// Whether a sync has failed and the next write transaction has to make up for it: with a redo log, one of any process since
    /// the last checkpoint, otherwise one of this process.
    package func hasFailedSync() throws(LMDBError) -> Bool {
        if isUnsettled.load(ordering: .relaxed) { return true }
        guard let redo else { return false }
        return try redo.hasFailedSync()
    }

    /// Notes that a commit failed in a system call, which may have been a sync.
    func markUnsettled() {
        guard options.syncs else { return }
        Self.unsettledFiles.withLock { _ = $0.insert(node) }
        isUnsettled.store(true, ordering: .relaxed)
    }

    /// Writes the meta pages again and syncs the file, if a commit has failed. Called by the write transaction that has just
    /// begun.
    func settle() throws(LMDBError) {
        guard isUnsettled.load(ordering: .relaxed) else { return }
        try Self.syncMetaPages(handle, pageSize: pageSize, path: path)
        Self.unsettledFiles.withLock { _ = $0.remove(node) }
        isUnsettled.store(false, ordering: .relaxed)
    }

    /// Writes both meta pages again as they are, and syncs the file. The caller holds LMDB's write lock.
    static func syncMetaPages(_ handle: EnvironmentHandle, pageSize: Int, path: String) throws(LMDBError) {
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        try StoreFile.rewrite(descriptor, byteCount: 2 * pageSize, path: path + "/data.mdb")
        let code = unsafe Calls.sync(handle.pointer)
        guard code == 0 else { throw LMDBError(code: code, operation: "mdb_env_sync", path: path) }
    }
}
