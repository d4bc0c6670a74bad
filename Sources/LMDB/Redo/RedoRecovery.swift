internal import Glibc

/// Puts a store back after a crash of the system: the data file to its last checkpoint, and then the log's commits.
///
/// Runs before the environment is opened, while no process has it open. All commits of the log are run in one transaction of
/// LMDB, which takes the number of the last of them. A crash in between changes nothing that a second run needs: the pages of the
/// checkpoint stay, and the side file leads to it until the end.
enum RedoRecovery {
    /// The files of the log in a directory.
    private struct Files {
        let side: CheckpointFile
        let log: RedoLogFile

        func close() {
            side.close()
            log.close()
        }
    }

    /// Recovers a store if that is needed, and makes the files of the log if they are wanted.
    ///
    /// - Returns: whether the store has a log.
    static func prepare(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        if let files = try open(path, isReadOnly: true) {
            defer { files.close() }
            guard SystemCalls.node(at: path + "/data.mdb") != nil else { throw missing("data.mdb", in: path) }
            guard let record = try files.side.newest() else { throw noCheckpoint(in: path) }
            guard try isNeeded(files, record, path) else { return true }
            return try recoverAlone(path, options)
        }
        guard options.logsCommits, !options.isReadOnly, options.syncs, SystemCalls.node(at: path + "/data.mdb") != nil
        else { return false }
        return try create(path, options)
    }

    /// Whether the directory has the files of a log.
    static func hasLog(_ path: String) -> Bool { SystemCalls.node(at: path + "/" + CheckpointFile.name) != nil }

    private static func open(_ path: String, isReadOnly: Bool) throws(LMDBError) -> Files? {
        // A log without a side file is what an interrupted creation left.
        guard let side = try CheckpointFile(in: path, isReadOnly: isReadOnly) else { return nil }
        do throws(LMDBError) {
            guard let log = try RedoLogFile(in: path, isReadOnly: isReadOnly) else {
                throw missing(RedoLogFile.name, in: path)
            }
            return Files(side: side, log: log)
        } catch {
            side.close()
            throw error
        }
    }

    /// Whether the data file may lack commits of the log, or have more than the disk had.
    private static func isNeeded(
        _ files: Files, _ record: CheckpointRecord, _ path: String
    ) throws(LMDBError) -> Bool {
        if BootIdentity.isCurrent(record.boot) { return false }
        let tail = RedoTail(after: record)
        if let first = files.log.header(at: 0), tail.isFollowed(by: first, of: record) { return true }
        guard let descriptor = SystemCalls.openToRead(path + "/data.mdb") else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "open", path: path)
        }
        defer { SystemCalls.close(descriptor) }
        return record.metas.enumerated().contains { index, meta in
            SystemCalls.read(descriptor, at: index * record.pageSize, count: meta.count) != meta
        }
    }

    /// Waits until no process has the environment open or another one has recovered it.
    private static func recoverAlone(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(options.patienceSeconds)
        while true {
            let lock: LockFile?
            do throws(LMDBError) {
                lock = try LockFile.take(in: path, fileMode: options.fileMode)
            } catch {
                throw cannotRecover(path, error)
            }
            if let lock {
                defer { lock.release() }
                let files: Files?
                do throws(LMDBError) {
                    files = try open(path, isReadOnly: false)
                } catch {
                    throw cannotRecover(path, error)
                }
                guard let files else { return false }
                defer { files.close() }
                guard let record = try files.side.newest() else { throw noCheckpoint(in: path) }
                if try isNeeded(files, record, path) { try recover(files, record, path, options) }
                return true
            }
            guard clock.now < deadline else {
                throw LMDBError(
                    .busy, operation: "open", path: path,
                    detail: "the store has to be recovered, and another process has it open",
                    remedy: "end that process, then retry")
            }
            SystemCalls.pause(milliseconds: 10)
        }
    }

    /// Runs the log. The caller holds the lock of the environment.
    private static func recover(
        _ files: Files, _ record: CheckpointRecord, _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) {
        let content = try files.log.content()
        var tail = RedoTail(after: record)
        var entries: [(entry: RedoEntry, offset: Int)] = []
        while let entry = RedoEntry(in: content, at: tail.offset), tail.isFollowed(by: entry, of: record) {
            entries.append((entry, tail.offset))
            tail.advance(past: entry)
        }
        try requireEnd(content, tail, record, path)

        let descriptor = unsafe Glibc.open(path + "/data.mdb", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw cannotRecover(path, LMDBError(code: errno, operation: "open", path: path)) }
        defer { SystemCalls.close(descriptor) }
        try requireLaterData(descriptor, record, path)
        for (index, meta) in metas(record, before: tail.transaction).enumerated() {
            guard StoreFile.write(descriptor, meta, at: index * record.pageSize, path: path + "/data.mdb") else {
                throw LMDBError(code: errno, operation: "write", path: path)
            }
        }
        if !entries.isEmpty { try run(content, entries, path, options) }
        guard StoreFile.syncData(descriptor, path: path + "/data.mdb") else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        var after: [[UInt8]] = []
        for index in [0, 1] {
            let count = DataFileMeta.byteCount
            guard let bytes = SystemCalls.read(descriptor, at: index * record.pageSize, count: count),
                bytes.count == count
            else { throw LMDBError(code: SystemCalls.lastCode, operation: "read", path: path) }
            after.append(bytes)
        }
        try files.side.setFlags([])
        try files.side.write(
            CheckpointRecord(
                number: record.number + 1, transaction: tail.transaction, salt: .random(in: .min ... .max),
                pageSize: record.pageSize, boot: BootIdentity.current, metas: after))
    }

    /// Throws if the data file is older than the checkpoint. Its pages were on the disk, so it is another file.
    private static func requireLaterData(
        _ descriptor: Int32, _ record: CheckpointRecord, _ path: String
    ) throws(LMDBError) {
        let newest = [0, 1].compactMap { index -> UInt64? in
            let count = DataFileMeta.byteCount
            guard let bytes = SystemCalls.read(descriptor, at: index * record.pageSize, count: count),
                case .meta(let meta) = DataFileMeta.read(bytes)
            else { return nil }
            return meta.transactionID
        }
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
        for offset in stride(from: 0, to: content.count, by: 8) {
            guard let header = RedoEntry(header: content, at: offset), RedoEntry(in: content, at: offset) != nil else {
                continue
            }
            let isOfNewerCheckpoint = header.checkpoint > record.number
            let isBehindGap =
                header.checkpoint == record.number && offset >= tail.offset
                && header.durableByteCount > UInt64(tail.offset)
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

    // MARK: Making

    /// Makes the files of the log for a store that has none. No other process may have it open, because it would go on without
    /// the log.
    private static func create(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Bool {
        guard let lock = try LockFile.take(in: path, fileMode: options.fileMode) else { return false }
        defer { lock.release() }
        let data = unsafe Glibc.open(path + "/data.mdb", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard data >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        defer { SystemCalls.close(data) }
        guard let inspection = try DataFileInspection.inspect(data, path: path) else { return false }
        var metas: [[UInt8]] = []
        for index in [0, 1] {
            let offset = index * inspection.newest.pageSize
            // Without a log, LMDB has synced all other pages. A sync of the meta pages may have failed, and then only a page that
            // is written again is written to the disk.
            guard let meta = SystemCalls.read(data, at: offset, count: DataFileMeta.byteCount),
                StoreFile.write(data, meta, at: offset, path: path + "/data.mdb")
            else { throw LMDBError(code: errno, operation: "write", path: path) }
            metas.append(meta)
        }
        guard StoreFile.syncData(data, path: path + "/data.mdb") else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
        try RedoLogFile.create(in: path, fileMode: options.fileMode)
        try CheckpointFile.create(
            in: path,
            CheckpointRecord(
                number: 1, transaction: inspection.newest.transactionID, salt: .random(in: .min ... .max),
                pageSize: inspection.newest.pageSize, boot: BootIdentity.current, metas: metas),
            fileMode: options.fileMode)
        return true
    }

    // MARK: Errors

    static func missing(_ name: String, in path: String) -> LMDBError {
        LMDBError(
            .damaged, operation: "open", path: path,
            detail: "\(name) is missing: data.mdb, \(RedoFiles.names.joined(separator: " and ")) belong together",
            remedy: "copy a store with all its files, or restore it from a copy")
    }

    static func noCheckpoint(in path: String) -> LMDBError {
        LMDBError(
            .damaged, operation: "open", path: path, detail: "redo.checkpoint has no checkpoint whose checksum fits",
            remedy: "restore the store from a copy")
    }

    private static func cannotRecover(_ path: String, _ error: LMDBError) -> LMDBError {
        guard [EACCES, EPERM, EROFS].contains(error.systemCode) else { return error }
        return LMDBError(
            .recoveryNeeded, operation: "open", path: path, systemCode: error.systemCode,
            detail: "the system crashed while the store was open, and its log has not been run yet",
            remedy: "open it once as a user who may write to its files, on media that can be written")
    }
}
