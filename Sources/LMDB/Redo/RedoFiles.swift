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
    static func exist(in directory: String) -> Bool {
        SystemCalls.node(at: directory + "/" + CheckpointFile.name) != nil
    }

    /// Returns the newest checkpoint.
    func checkpoint() throws(LMDBError) -> CheckpointRecord {
        if let record = try side.newest() { return record }
        throw LMDBError(
            .damaged, operation: "open", path: side.path,
            detail: "redo.checkpoint has no checkpoint whose checksum fits", remedy: "restore the store from a copy")
    }

    /// Makes the files for a store that has none. No other process may have the store open, because that process would go on
    /// without the log.
    ///
    /// - Returns: false if another process has it open.
    static func create(in path: String, fileMode: UInt32) throws(LMDBError) -> Bool {
        guard let lock = try LockFile.take(in: path, fileMode: fileMode) else { return false }
        defer { lock.release() }
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false) else { return false }
        defer { SystemCalls.close(data) }
        guard let newest = try DataFileInspection.inspect(data, path: path)?.newest else { return false }
        // Without a log, LMDB has synced all other pages. A sync of the meta pages may have failed before.
        try StoreFile.rewrite(data, byteCount: 2 * newest.pageSize, path: dataPath)
        guard StoreFile.syncData(data, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        let metas = try DataFileInspection.metaPages(data, pageSize: newest.pageSize, path: path)
        try RedoLogFile.create(in: path, fileMode: fileMode)
        try CheckpointFile.create(
            in: path,
            CheckpointRecord(
                number: 1, transaction: newest.transactionID, pageSize: newest.pageSize, metas: metas),
            fileMode: fileMode)
        return true
    }

    /// Returns the error for a file that is missing beside the others.
    static func missing(_ name: String, in path: String) -> LMDBError {
        LMDBError(
            .damaged, operation: "open", path: path,
            detail: "\(name) is missing: data.mdb, \(names.joined(separator: " and ")) belong together",
            remedy: "copy a store with all its files, or restore it from a copy")
    }
}
