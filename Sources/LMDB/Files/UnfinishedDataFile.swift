internal import Glibc

/// A data file whose creation was interrupted, by a power loss or a kill.
///
/// LMDB creates a file with one write of two meta pages that refer to no other page. `openAlone` flushes them to the disk before
/// any other write. If a file contains only these pages, parts of them and zeros, it never contained a commit, and creating it
/// again loses nothing. A file with any other content is damaged, and is not changed.
enum UnfinishedDataFile {
    static func isOne(_ descriptor: Int32) -> Bool {
        var pageSize = SystemCalls.pageSize
        guard let count = SystemCalls.byteCount(of: descriptor), count <= 2 * DataFileMeta.largestPage,
            var bytes = SystemCalls.read(descriptor, at: 0, count: count)
        else { return false }
        if case .meta(let meta) = DataFileMeta.read(bytes) { pageSize = meta.pageSize }
        guard count <= 2 * pageSize else { return false }
        for start in [0, pageSize] where start < count {
            let meta = start..<min(start + DataFileMeta.byteCount, count)
            guard case .meta(let found) = DataFileMeta.read(Array(bytes[meta])), found.isInitial else { continue }
            bytes.replaceSubrange(meta, with: repeatElement(0, count: meta.count))
        }
        return bytes.allSatisfy { $0 == 0 }
    }

    /// Empties the file if it is still unfinished. LMDB then creates it again. Called by the registry, which ensures that no
    /// other thread of this process opens the environment.
    ///
    /// Returns false, without a change, if a process has the environment open: it may be creating the file.
    static func empty(in path: String, fileMode: UInt32) throws(LMDBError) -> Bool {
        guard let lock = try LockFile.take(in: path, fileMode: fileMode) else { return false }
        defer { lock.release() }
        let descriptor = unsafe Glibc.open(path + "/data.mdb", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        defer { SystemCalls.close(descriptor) }
        guard isOne(descriptor) else { return true }
        guard ftruncate(descriptor, 0) == 0 else { throw LMDBError(code: errno, operation: "ftruncate", path: path) }
        return true
    }

    /// Returns the error for a process that keeps such a file open.
    static func busy(_ path: String) -> LMDBError {
        LMDBError(
            .busy, operation: "open", path: path,
            detail: "data.mdb is incomplete, and another process that has the store open does not complete it",
            remedy: "stop that process, then retry")
    }

    /// Returns the error for such a file that must not be changed.
    static func error(_ path: String) -> LMDBError {
        LMDBError(
            .unfinished, operation: "open", path: path,
            detail: "the creation of data.mdb was interrupted, and the file has no content yet",
            remedy: "open the store for writing, which creates data.mdb again, or remove it")
    }
}
