internal import Glibc

/// Puts a store back after a crash of the system: the data file to its last checkpoint, and then the log's commits.
///
/// Runs before the environment is opened, while no process has it open. All commits of the log are run in one transaction of
/// LMDB, which takes the number of the last of them. A crash in between changes nothing that a second run needs: the pages of the
/// checkpoint stay, and the side file leads to it until the end.
enum RedoRecovery {
    /// How long an open waits for another process that recovers the store, before it looks again.
    private static let millisecondsBetweenLooks: UInt32 = 10

    /// Recovers a store if that is needed, and makes the files of the log if they are wanted.
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
        guard options.wantsLog, SystemCalls.node(at: path + "/data.mdb") != nil else { return false }
        return try RedoFiles.create(in: path, fileMode: options.fileMode)
    }

    /// Whether the data file may lack commits of the log, or may have pages that the disk never had.
    private static func isNeeded(_ files: RedoFiles, _ path: String) throws(LMDBError) -> Bool {
        guard let descriptor = try StoreFile.open(path + "/data.mdb", isReadOnly: true) else {
            throw RedoFiles.missing("data.mdb", in: path)
        }
        defer { SystemCalls.close(descriptor) }
        let record = try files.checkpoint()
        if BootIdentity.isCurrent(record.boot) { return false }
        if let first = files.log.header(at: 0), RedoTail(after: record).isFollowed(by: first, of: record) {
            return true
        }
        return try DataFileInspection.metaPages(descriptor, pageSize: record.pageSize, path: path) != record.metas
    }

    /// Recovers the store while no process has it open.
    ///
    /// - Returns: false if a process has it open.
    private static func recoverAlone(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        do throws(LMDBError) {
            guard let lock = try LockFile.take(in: path, fileMode: options.fileMode) else { return false }
            defer { lock.release() }
            guard let files = try RedoFiles(in: path, isReadOnly: false) else { return false }
            defer { files.close() }
            if try isNeeded(files, path) { try recover(files, path, options) }
            return true
        } catch {
            guard [EACCES, EPERM, EROFS].contains(error.systemCode) else { throw error }
            throw LMDBError(
                .recoveryNeeded, operation: "open", path: path, systemCode: error.systemCode,
                detail: "the system crashed while the store was open, and its log has not been run yet",
                remedy: "open it once as a user who may write to its files, on media that can be written")
        }
    }

    /// Runs the log. The caller holds the lock of the environment.
    private static func recover(
        _ files: RedoFiles, _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) {
        let record = try files.checkpoint()
        let content = try files.log.content()
        var tail = RedoTail(after: record)
        var entries: [(entry: RedoEntry, offset: Int)] = []
        while let entry = RedoEntry(in: content, at: tail.offset), tail.isFollowed(by: entry, of: record) {
            entries.append((entry, tail.offset))
            tail.advance(past: entry)
        }
        try requireEnd(content, tail, record, path)

        let dataPath = path + "/data.mdb"
        guard let descriptor = try StoreFile.open(dataPath, isReadOnly: false) else {
            throw RedoFiles.missing("data.mdb", in: path)
        }
        defer { SystemCalls.close(descriptor) }
        try requireLaterData(descriptor, record, path)
        for (index, meta) in metas(record, before: tail.transaction).enumerated() {
            guard StoreFile.write(descriptor, meta, at: index * record.pageSize, path: dataPath) else {
                throw LMDBError(code: errno, operation: "write", path: path)
            }
        }
        if !entries.isEmpty { try run(content, entries, path, options) }
        guard StoreFile.syncData(descriptor, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        try files.side.setFlags([])
        try files.side.write(
            CheckpointRecord(
                number: record.number + 1, transaction: tail.transaction, pageSize: record.pageSize,
                metas: try DataFileInspection.metaPages(descriptor, pageSize: record.pageSize, path: path)))
    }

    /// Throws if the data file is older than the checkpoint. Its pages were on the disk, so it is another file.
    private static func requireLaterData(
        _ descriptor: Int32, _ record: CheckpointRecord, _ path: String
    ) throws(LMDBError) {
        let newest = try DataFileInspection.metaPages(descriptor, pageSize: record.pageSize, path: path)
            .compactMap { DataFileMeta.read($0).meta?.transactionID }
        guard newest.max() ?? 0 < record.transaction else { return }
        throw LMDBError(
            .damaged, operation: "open", path: path,
            detail: "data.mdb is older than redo.checkpoint, which belongs to another data.mdb",
            remedy: "put the right data.mdb back, or remove \(RedoFiles.names.joined(separator: " and "))")
    }

    /// Throws if the log goes on behind its end: an entry in between is damaged that was on the disk.
    private static func requireEnd(
        _ content: [UInt8], _ tail: RedoTail, _ record: CheckpointRecord, _ path: String
    ) throws(LMDBError) {
        for offset in stride(from: tail.offset, to: content.count, by: RedoEntry.alignment) {
            guard let entry = RedoEntry(in: content, at: offset) else { continue }
            let isOfNewerCheckpoint = entry.checkpoint > record.number
            let isBehindGap =
                entry.checkpoint == record.number && entry.durableByteCount > UInt64(tail.offset)
            guard isOfNewerCheckpoint || isBehindGap else { continue }
            throw LMDBError(
                .damaged, operation: "open", path: path,
                detail: isOfNewerCheckpoint
                    ? "redo.log belongs to a newer checkpoint than redo.checkpoint"
                    : "redo.log is damaged at byte \(tail.offset): commits after it are lost",
                remedy: "restore the store from a copy")
        }
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
        _ content: [UInt8], _ entries: [(entry: RedoEntry, offset: Int)], _ path: String,
        _ options: LMDBEnvironment.Options
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
            for (entry, offset) in entries {
                var run = unsafe RedoRun(transaction, path: path)
                try run.run(content, from: offset + RedoEntry.headerByteCount, count: entry.operationByteCount)
            }
        } catch {
            unsafe Calls.abort(transaction)
            throw error
        }
        code = unsafe Calls.commit(transaction)
        guard code == 0 else { throw LMDBError(code: code, operation: "mdb_txn_commit", path: path) }
    }
}
