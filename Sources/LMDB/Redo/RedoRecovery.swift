internal import Glibc

/// Puts a store back after a crash of the system: the data file to its last checkpoint, and then the log's commits.
///
/// Runs before the environment is opened, while no process has it open. All commits of the log are run in one transaction of
/// LMDB, which takes the number of the last of them. A crash in between changes nothing that a second run needs: the pages of the
/// checkpoint stay, and the side file leads to it until the end.
enum RedoRecovery {
    /// How long an open waits for another process that recovers the store, before it looks again.
    private static let millisecondsBetweenLooks: UInt32 = 10

    /// Recovers a store if that is needed.
    ///
    /// - Returns: whether the store has a log.
    static func prepare(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        let deadline = ContinuousClock.now + .seconds(options.patienceSeconds)
        while let files = try RedoFiles(in: path, isReadOnly: true) {
            defer { files.close() }
            guard try isNeeded(files, path) else { return true }
            // Several processes may start after the crash. One of them recovers the store.
            if try recoverAlone(path, options) { return true }
            guard ContinuousClock.now < deadline else {
                throw LMDBError(
                    .busy, operation: "open", path: path,
                    detail: "the store has to be recovered, and another process has it open",
                    remedy: "end that process, then retry")
            }
            SystemCalls.pause(milliseconds: millisecondsBetweenLooks)
        }
        return false
    }

    /// Whether the data file may lack commits of the log, or may have pages that the disk never had.
    private static func isNeeded(_ files: RedoFiles, _ path: String) throws(LMDBError) -> Bool {
        guard let descriptor = try StoreFile.open(path + "/data.mdb", isReadOnly: true) else {
            throw RedoFiles.missing("data.mdb", in: path)
        }
        defer { SystemCalls.close(descriptor) }
        let record = try files.checkpoint()
        let metas = try DataFileInspection.metaPages(descriptor, pageSize: record.pageSize, path: path)
        try requireLaterData(metas, record, path)
        if record.isClosed || BootIdentity.isCurrent(record.boot) { return false }
        if let first = files.log.header(at: 0), RedoTail(after: record).isFollowed(by: first, of: record) {
            return true
        }
        return metas != record.metas
    }

    /// Recovers the store while no process has it open.
    ///
    /// - Returns: false if a process has it open.
    private static func recoverAlone(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        do throws(LMDBError) {
            guard let lock = try LockFile.take(in: path, fileMode: options.fileMode) else { return false }
            defer { lock.release() }
            return try recoverHeld(path, options)
        } catch {
            guard [EACCES, EPERM, EROFS].contains(error.systemCode) else { throw error }
            throw LMDBError(
                .recoveryNeeded, operation: "open", path: path, systemCode: error.systemCode,
                detail: "the system crashed while the store was open, and its log has not been run yet",
                remedy: "open it once as a user who may write to its files, on media that can be written")
        }
    }

    /// Recovers the store if that is needed. The caller holds the ``LockFile``.
    ///
    /// - Returns: false if there is no log.
    static func recoverHeld(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        guard let files = try RedoFiles(in: path, isReadOnly: false) else { return false }
        defer { files.close() }
        if try isNeeded(files, path) { try recover(files, path, options) }
        return true
    }

    /// Runs the log. The caller holds the ``LockFile``.
    private static func recover(
        _ files: RedoFiles, _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) {
        let entries = try RedoEntries(files, path: path)
        let (record, tail) = (entries.record, entries.tail)
        let dataPath = path + "/data.mdb"
        guard let descriptor = try StoreFile.open(dataPath, isReadOnly: false) else {
            throw RedoFiles.missing("data.mdb", in: path)
        }
        defer { SystemCalls.close(descriptor) }
        for (index, meta) in metas(record, before: tail.transaction).enumerated() {
            guard StoreFile.write(descriptor, meta, at: index * record.pageSize, path: dataPath) else {
                throw LMDBError(code: errno, operation: "write", path: path)
            }
        }
        if !entries.list.isEmpty { try run(entries, path, options) }
        guard StoreFile.syncData(descriptor, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        try files.side.setFlags([])
        try files.side.write(
            CheckpointRecord(
                number: record.number + 1, transaction: tail.transaction, pageSize: record.pageSize, isClosed: true,
                metas: try DataFileInspection.metaPages(descriptor, pageSize: record.pageSize, path: path)))
    }

    /// Throws if the data file is older than the checkpoint. Its pages were on the disk, so it is another file.
    private static func requireLaterData(
        _ metas: [[UInt8]], _ record: CheckpointRecord, _ path: String
    ) throws(LMDBError) {
        let newest = metas.compactMap { DataFileMeta.read($0).meta?.transactionID }
        guard newest.max() ?? 0 < record.transaction else { return }
        throw LMDBError(
            .damaged, operation: "open", path: path,
            detail: "data.mdb is older than redo.checkpoint, which belongs to another data.mdb",
            remedy: "put the right data.mdb back, or remove \(RedoFiles.names.joined(separator: " and "))")
    }

    /// Returns the meta pages of a checkpoint with numbers that give the next transaction the number `last`; as they were if it
    /// has no successor.
    private static func metas(_ record: CheckpointRecord, before last: UInt64) -> [[UInt8]] {
        guard last > record.transaction else { return record.metas }
        let newest = record.metas[Int(record.transaction % 2)]
        var metas = record.metas
        for transaction in [last - 1, last &- 2] where transaction < last {
            let index = Int(transaction % 2)
            metas[index] = DataFileMeta.renumbered(newest, page: index, transaction: transaction)
        }
        return metas
    }

    /// Runs the operations of all entries in one transaction.
    private static func run(
        _ entries: RedoEntries, _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) {
        let needed = try DataFileInspection.inspect(storeAt: path)?.newest.neededByteCount ?? 0
        let request = Calls.OpenRequest(
            path: path, mapSize: try LMDBEnvironment.mapSize(atMost: options.mapSize, needed: needed, path: path),
            maximumReaders: UInt32(clamping: options.maximumReaders),
            maximumDatabases: UInt32(clamping: options.maximumDatabases), isReadOnly: false, syncs: false,
            fileMode: options.fileMode, locks: false)
        var environment: OpaquePointer?
        var code = unsafe Calls.open(request, into: &environment)
        guard code == 0, let environment = unsafe environment else {
            throw LMDBError(code: code, operation: "mdb_env_open", path: path)
        }
        defer { unsafe Calls.close(environment) }
        var transaction: OpaquePointer?
        code = unsafe Calls.begin(environment, parent: nil, isReadOnly: false, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else {
            throw LMDBError(code: code, operation: "mdb_txn_begin", path: path)
        }
        do throws(LMDBError) {
            for (entry, offset) in entries.list {
                var run = unsafe RedoRun(transaction, path: path)
                try run.run(entries.content, from: offset + RedoEntry.headerByteCount, count: entry.operationByteCount)
            }
        } catch {
            unsafe Calls.abort(transaction)
            throw error
        }
        code = unsafe Calls.commit(transaction)
        guard code == 0 else { throw LMDBError(code: code, operation: "mdb_txn_commit", path: path) }
    }
}
