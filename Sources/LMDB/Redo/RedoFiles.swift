internal import Glibc

/// The two files of the redo log, open. They belong to one data file.
package struct RedoFiles {
    /// The names of the files.
    package static let names = [CheckpointFile.name, RedoLogFile.name]

    let side: CheckpointFile
    let log: RedoLogFile

    /// Opens the files of a directory; nil if it has no side file. A log alone is what an interrupted creation left.
    init?(in directory: String, isReadOnly: Bool) throws(LMDBError) {
        guard let side = try CheckpointFile(in: directory, isReadOnly: isReadOnly) else { return nil }
        do throws(LMDBError) {
            guard let log = try RedoLogFile(in: directory, isReadOnly: isReadOnly) else {
                throw Self.missing(RedoLogFile.name, in: directory)
            }
            self.side = side
            self.log = log
        } catch {
            side.close()
            throw error
        }
    }

    func close() {
        side.close()
        log.close()
    }

    /// Whether a directory has the files.
    package static func exist(in directory: String) -> Bool {
        SystemCalls.node(at: directory + "/" + CheckpointFile.name) != nil
    }

    /// Returns the newest checkpoint.
    func checkpoint() throws(LMDBError) -> CheckpointRecord {
        if let record = try side.newest() { return record }
        throw LMDBError(
            .damaged, operation: "open", path: side.path,
            detail: "redo.checkpoint has no checkpoint whose checksum fits", remedy: "restore the store from a copy")
    }

    /// Makes the files for a store that has none. The caller holds the ``LockFile``: another process that has the store open would
    /// go on without the log.
    ///
    /// - Throws: ``LMDBError``. Then there are no files.
    package static func create(in path: String) throws(LMDBError) {
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false),
            let newest = try DataFileInspection.inspect(data, path: path)?.newest
        else { throw missing("data.mdb", in: path) }
        defer { SystemCalls.close(data) }
        // Without a log, LMDB has synced all other pages. A sync of the meta pages may have failed before.
        try StoreFile.rewrite(data, byteCount: 2 * newest.pageSize, path: dataPath)
        guard StoreFile.syncData(data, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        let metas = try DataFileInspection.metaPages(data, pageSize: newest.pageSize, path: path)
        try RedoLogFile.create(in: path, like: data)
        do throws(LMDBError) {
            // The side file must not reach the disk before the log. Not every file system keeps the order of names.
            guard StoreFile.syncDirectory(path) else {
                throw LMDBError(code: SystemCalls.lastCode, operation: "fsync", path: path)
            }
            try CheckpointFile.create(
                in: path,
                CheckpointRecord(
                    number: 1, transaction: newest.transactionID, pageSize: newest.pageSize, isClosed: true,
                    metas: metas),
                like: data)
        } catch {
            // The removal of the side file must reach the disk before that of the log.
            _ = StoreFile.syncDirectory(path)
            _ = unsafe unlink(path + "/" + RedoLogFile.name)
            throw error
        }
    }

    /// Removes the files. Before, the data file gets all that the log has, and is synced. The caller holds the ``LockFile``.
    ///
    /// - Throws: ``LMDBError``. Then the files are still there.
    package static func remove(in path: String) throws(LMDBError) {
        guard try RedoRecovery.recoverHeld(path, LMDBEnvironment.Options()),
            let files = try RedoFiles(in: path, isReadOnly: true)
        else { return }
        defer { files.close() }
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false) else { throw missing("data.mdb", in: path) }
        defer { SystemCalls.close(data) }
        if try files.side.flags().contains(.data) {
            try StoreFile.rewrite(data, byteCount: SystemCalls.byteCount(of: data) ?? 0, path: dataPath)
        }
        guard StoreFile.syncData(data, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        // The side file first: a log alone is a leftover.
        for name in names {
            guard unsafe unlink(path + "/" + name) == 0 || errno == ENOENT, StoreFile.syncDirectory(path) else {
                throw LMDBError(code: errno, operation: "unlink", path: path + "/" + name)
            }
        }
    }

    /// Returns the fault of the files of a store, which may be in use; nil if they are right, or if there are none.
    package static func fault(in path: String) throws(LMDBError) -> String? {
        guard let files = try RedoFiles(in: path, isReadOnly: true) else { return nil }
        defer { files.close() }
        while true {
            let number = try files.checkpoint().number
            do throws(LMDBError) {
                _ = try RedoEntries(files, path: path)
                return nil
            } catch {
                guard error.code == .damaged else { throw error }
                // After a checkpoint in the meantime, the log has other entries.
                if try files.checkpoint().number == number { return error.detail }
            }
        }
    }

    /// Returns the error for a file that is missing beside the others.
    static func missing(_ name: String, in path: String) -> LMDBError {
        LMDBError(
            .damaged, operation: "open", path: path,
            detail: "\(name) is missing: data.mdb, \(names.joined(separator: " and ")) belong together",
            remedy: "copy a store with all its files, or restore it from a copy")
    }
}
