internal import Glibc

/// A data file whose making was cut short, by the loss of power or by a kill.
///
/// LMDB makes a file by one write of two meta pages that name no other page, and `openAlone` brings them to the disk
/// before anything else is written. So a file that holds nothing but these pages, parts of them and zeros has never held
/// a commit, and making it anew loses nothing. With anything else in it, it is a damaged file, which stays as it is.
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

    /// Empties the file if it still is one; LMDB then makes it anew. For the registry, which sees to it that nobody in
    /// this process opens the environment.
    ///
    /// Returns false, having done nothing, when somebody has the environment open: it may be the one who makes the file.
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

    /// The error when somebody does not let go of such a file.
    static func busy(_ path: String) -> LMDBError {
        LMDBError(
            .busy, operation: "open", path: path,
            detail: "data.mdb is unfinished, and another process that has the store open does not finish it",
            remedy: "stop that process, then retry")
    }

    /// The error when such a file is not to be changed.
    static func error(_ path: String) -> LMDBError {
        LMDBError(
            .unfinished, operation: "open", path: path,
            detail: "the making of data.mdb was cut short, and it holds nothing yet",
            remedy: "open the store for writing, which makes it again, or remove data.mdb")
    }
}
