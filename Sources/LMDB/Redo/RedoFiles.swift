internal import Glibc

/// The two files of the redo log, open. They belong to one data file.
package struct RedoFiles {
    /// The names of the files.
    package static let names = [CheckpointFile.name, RedoLogFile.name]
    /// The end of the names of files that did not belong to the data file beside them.
    private static let asideSuffix = ".unused"

    let side: CheckpointFile
    let log: RedoLogFile

    /// Opens the files of a directory.
    ///
    /// - Throws: ``LMDBError``, also if one is missing.
    init(in directory: String, isReadOnly: Bool) throws(LMDBError) {
        guard let side = try CheckpointFile(in: directory, isReadOnly: isReadOnly) else {
            throw Self.changed(directory)
        }
        do throws(LMDBError) {
            guard let log = try RedoLogFile(in: directory, isReadOnly: isReadOnly) else {
                throw Self.changed(directory)
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

    /// Whether a directory has both files.
    static func areComplete(in directory: String) -> Bool {
        names.allSatisfy { SystemCalls.node(at: directory + "/" + $0) != nil }
    }

    /// Returns the error for files that were removed or changed while a process used them.
    static func changed(_ path: String) -> LMDBError {
        LMDBError(
            .filesRemoved, operation: "open", path: path,
            detail: "\(names.joined(separator: " or ")) was removed or changed while this process used it",
            remedy: "close the store in all processes, then open it again")
    }

    /// Makes the files for a store that has none. The caller holds the ``LockFile``: another process that has the store open
    /// would go on without the log.
    ///
    /// - Throws: ``LMDBError``. Then there are no files.
    package static func create(in path: String) throws(LMDBError) {
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false),
            let newest = try DataFileInspection.inspect(data, path: path)?.newest
        else { throw missingDataFile(path) }
        defer { SystemCalls.close(data) }
        let metas = try DataFileInspection.metaPages(data, pageSize: newest.pageSize, path: path)
        let record = CheckpointRecord(
            number: 1, secret: .random(), pageSize: newest.pageSize, isClosed: true,
            tail: .beginning(after: newest.transactionID), meta: metas[Int(newest.transactionID % 2)])
        // With the stamp alone, the next opening for writing makes the files.
        try DataFileStamp.write(
            DataFileStamp(isOpen: false, done: record.identity, begun: record.identity), data, path: path)
        do throws(LMDBError) {
            // Without a log, LMDB has synced all other pages. A sync of the meta pages may have failed before.
            try StoreFile.rewrite(data, byteCount: 2 * newest.pageSize, path: dataPath)
            guard StoreFile.syncData(data, path: dataPath) else {
                throw LMDBError(code: errno, operation: "fdatasync", path: path)
            }
            try RedoLogFile.create(in: path, like: data)
            // The side file must not reach the disk before the log. Not every file system keeps the order of names.
            guard StoreFile.syncDirectory(path) else {
                throw LMDBError(code: SystemCalls.lastCode, operation: "fsync", path: path)
            }
            try CheckpointFile.create(in: path, record, like: data)
        } catch {
            // The removal of the side file must reach the disk before that of the log.
            _ = StoreFile.syncDirectory(path)
            _ = unsafe unlink(path + "/" + RedoLogFile.name)
            try DataFileStamp.write(nil, data, path: path)
            _ = StoreFile.syncData(data, path: dataPath)
            throw error
        }
    }

    /// Recovers a store if that is needed, and mends its files. The caller holds the ``LockFile``.
    ///
    /// - Returns: whether the store has a log.
    package static func recover(in path: String) throws(LMDBError) -> Bool {
        try RedoRecovery.recoverHeld(path, LMDBEnvironment.Options()).hasLog
    }

    /// Removes the files. Before, the data file gets all that the log has, and is synced. The caller holds the ``LockFile``.
    ///
    /// - Throws: ``LMDBError``. Then the files are still there.
    package static func remove(in path: String) throws(LMDBError) {
        guard SystemCalls.node(at: path + "/data.mdb") != nil else { return }
        _ = try RedoRecovery.recoverHeld(path, LMDBEnvironment.Options())
        try forget(in: path)
    }

    /// Removes the files of a store, also if one of them is missing or damaged and the store is refused. The data file is put
    /// back to the last commit up to which it is whole. The caller holds the ``LockFile``.
    ///
    /// - Returns: how many commits are given up; nil if the files do not say.
    /// - Throws: ``LMDBError`` with the code `damaged` if the data file is not whole either. Then nothing is changed.
    package static func giveUp(in path: String) throws(LMDBError) -> Int? {
        try RedoRecovery.giveUp(path, LMDBEnvironment.Options())
    }

    /// Removes the files and the stamp of a data file that is whole by itself.
    static func forget(in path: String) throws(LMDBError) {
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false) else { throw missingDataFile(path) }
        defer { SystemCalls.close(data) }
        let stamp = try DataFileStamp.read(data, path: path)
        if stamp == .none, !exist(in: path) { return }
        guard StoreFile.syncData(data, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        // The side file first: a log alone is a leftover. With the stamp alone, the next opening for writing makes the files
        // again.
        for name in names {
            guard unsafe unlink(path + "/" + name) == 0 || errno == ENOENT, StoreFile.syncDirectory(path) else {
                throw LMDBError(code: errno, operation: "unlink", path: path + "/" + name)
            }
        }
        try DataFileStamp.write(nil, data, path: path)
        guard StoreFile.syncData(data, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
    }

    /// Gives the files other names, because they do not belong to the data file.
    static func setAside(in path: String) throws(LMDBError) {
        for name in names {
            let file = path + "/" + name
            guard unsafe rename(file, file + asideSuffix) == 0 || errno == ENOENT, StoreFile.syncDirectory(path) else {
                throw LMDBError(code: errno, operation: "rename", path: file)
            }
        }
    }

    /// Returns the fault of the files of a store, which may be in use; nil if they are right, or if there are none.
    package static func fault(in path: String) throws(LMDBError) -> String? {
        var last: (fault: String, number: UInt64?)?
        while true {
            let found = try ExaminedFiles(in: path, readsLog: true)
            guard case .refuse(let loss) = found.situation.decision else { return nil }
            let fault = RedoRecovery.detail(of: loss)
            // After a checkpoint in the meantime, the log has other entries.
            if let last, last == (fault, found.record?.number) { return fault }
            last = (fault, found.record?.number)
        }
    }

    static func missingDataFile(_ path: String) -> LMDBError {
        LMDBError(
            .damaged, operation: "open", path: path,
            detail: "data.mdb is missing, and \(names.joined(separator: " and ")) need it",
            remedy: "copy a store with all its files, or restore a backup")
    }
}

/// The state of a redo log.
package struct RedoStatus: Equatable, Sendable {
    /// The length of the entries since the last checkpoint, in bytes.
    package let logByteCount: Int
    /// The newest commit in the last checkpoint.
    package let transaction: UInt64
    /// When the last checkpoint was made, in seconds since 1970.
    package let time: Double

    /// Reads the state of files that may be in use. Only the headers of entries are looked at. Nil if there is no checkpoint.
    ///
    /// - Complexity: O(entries of the log)
    init?(_ files: RedoFiles) throws(LMDBError) {
        guard let record = try files.side.newest() else { return nil }
        var tail = record.tail
        while !record.isClosed, let (entry, offset) = try files.log.next(after: tail, record.secret) {
            tail.advance(past: entry, at: offset)
        }
        logByteCount = Int(clamping: tail.address - record.tail.address)
        transaction = record.transaction
        time = files.side.modificationTime
    }
}
