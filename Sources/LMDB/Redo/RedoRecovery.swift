internal import Glibc

/// Puts a store that no process has closed back to its last checkpoint, and runs the log's commits again.
///
/// Runs before the environment is opened, while no process has it open. The files alone decide the steps
/// (``RecoverySituation``), and nothing is written before that is decided. All commits of the log are run in one transaction of
/// LMDB, which takes the number of the last of them. A crash in between changes nothing that a second run needs: the pages of the
/// checkpoint stay, and the side file leads to it until the end.
enum RedoRecovery {
    /// The result of examining a store at its opening.
    struct Outcome {
        var hasLog: Bool
        /// A description of mended files.
        var notice: String?
        /// Whether an opening for reading uses a data file beside files that do not belong to it, and leaves all as they are.
        var keepsMismatch = false
    }

    /// Recovers a store if that is needed. If another process is recovering it, waits for that.
    ///
    /// - Parameter waiting: called once, after a second of waiting.
    static func prepare(
        _ path: String, _ options: LMDBEnvironment.Options, waiting: (Duration) -> Void
    ) throws(LMDBError) -> Outcome {
        var wait = OpeningWait(path, options)
        while true {
            let found = try ExaminedFiles(in: path, readsLog: false)
            switch found.situation.decision {
            case .nothing(let hasLog): return Outcome(hasLog: hasLog)
            case .makeFiles where options.isReadOnly: return Outcome(hasLog: RedoFiles.exist(in: path))
            default: break
            }
            if let outcome = try recoverAlone(path, options) { return outcome }
            if try !LockFile.isTakenExclusively(in: path) {
                if try isInUse(found, path) { return Outcome(hasLog: RedoFiles.exist(in: path)) }
                guard wait.duration < .seconds(options.patienceSeconds) else { throw usedByOtherProgram(path) }
            }
            try wait.pause(waiting)
        }
    }

    /// Whether a store that is open in LMDB needs recovery: it was not closed, and no process of ModelStore uses it. Then another
    /// process has been using it since ``prepare(_:_:waiting:)``, and was killed.
    static func isLeftOpen(_ path: String) throws(LMDBError) -> Bool {
        guard
            case .record(isClosed: false, isOfDataFile: true, _) = try ExaminedFiles(in: path, readsLog: false)
                .situation.side
        else { return false }
        return try !UseMark.isSet(in: path)
    }

    /// Whether processes of ModelStore have the store open, so that it needs no recovery. LMDB's lock is taken.
    private static func isInUse(_ found: ExaminedFiles, _ path: String) throws(LMDBError) -> Bool {
        switch found.situation.decision {
        case .makeFiles: return true
        case .refuse(.side): throw RedoFiles.changed(path)
        default: return try UseMark.isSet(in: path)
        }
    }

    private static func usedByOtherProgram(_ path: String) -> LMDBError {
        LMDBError(
            .busy, operation: "open", path: path,
            detail: "no process has closed the store, and another LMDB program has it open, so its log cannot be run",
            remedy: "end that program, then retry")
    }

    /// Recovers the store while no process has it open; nil if a process has it open.
    private static func recoverAlone(
        _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) -> Outcome? {
        do throws(LMDBError) {
            guard let lock = try LockFile.take(in: path, fileMode: options.fileMode) else { return nil }
            defer { lock.release() }
            return try recoverHeld(path, options)
        } catch {
            guard [EACCES, EPERM, EROFS].contains(error.systemCode) else { throw error }
            throw LMDBError(
                .recoveryNeeded, operation: "open", path: path, systemCode: error.systemCode,
                detail: "no process has closed the store, and its log has not been run yet",
                remedy: "open it once as a user who may write to its files, on media that can be written")
        }
    }

    /// Recovers the store if that is needed. The caller holds the ``LockFile``.
    static func recoverHeld(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Outcome {
        let found = try ExaminedFiles(in: path, readsLog: true)
        switch found.situation.decision {
        case .nothing(let hasLog): return Outcome(hasLog: hasLog)
        case .makeFiles:
            guard !options.isReadOnly else { return Outcome(hasLog: RedoFiles.exist(in: path)) }
            try RedoFiles.setAside(in: path)
            try RedoFiles.create(in: path)
            return Outcome(
                hasLog: true,
                notice: "the files of the redo log were missing or cut, and are made again; nothing is lost")
        case .run(let last):
            // Relaxed commits that only the data file has, or commits of a program that knows no log. The latter may have used
            // pages of the checkpoint again, and then only the data file as it is can be whole.
            if found.situation.newest > last, try isCheckpointDamaged(found, path) {
                return try examine(found, .newerThanLog, path, options)
            }
            try run(found, to: last, path, options)
            return Outcome(hasLog: true)
        case .keep:
            let files = try RedoFiles(in: path, isReadOnly: false)
            defer { files.close() }
            try close(found, files, last: found.situation.newest, path)
            return Outcome(hasLog: true)
        case .examine(let mismatch): return try examine(found, mismatch, path, options)
        case .refuse(let loss): throw refusal(of: loss, path)
        }
    }

    // MARK: Running

    /// Runs the log up to a transaction.
    static func run(
        _ found: ExaminedFiles, to last: UInt64, _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) {
        guard let record = found.record, let entries = found.entries else { throw RedoFiles.changed(path) }
        // Before anything is written: they may be denied to this user.
        let files = try RedoFiles(in: path, isReadOnly: false)
        defer { files.close() }
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false) else { throw RedoFiles.missingDataFile(path) }
        defer { SystemCalls.close(data) }
        if let damage = try DataFileCheck.damage(data, meta: record.meta, leaves: false, path: path) {
            throw LMDBError(
                .damaged, operation: "open", path: path,
                detail: "data.mdb lacks pages of its last checkpoint: \(damage)", remedy: "restore a backup")
        }
        try write(metas(record, before: last), data, record.pageSize, path)
        do throws(LMDBError) {
            try run(entries, to: last, path, options)
        } catch {
            try write(found.metas, data, record.pageSize, path)
            throw error
        }
        try close(found, files, last: last, path)
    }

    private static func write(
        _ metas: [[UInt8]], _ data: Int32, _ pageSize: Int, _ path: String
    ) throws(LMDBError) {
        for (index, meta) in metas.enumerated() {
            guard StoreFile.write(data, meta, at: index * pageSize, path: path + "/data.mdb") else {
                throw LMDBError(code: errno, operation: "write", path: path)
            }
        }
    }

    /// Returns meta pages with the tree of a checkpoint, and numbers that give the next transaction the number `last`; those of
    /// the checkpoint if no transaction follows it.
    private static func metas(_ record: CheckpointRecord, before last: UInt64) -> [[UInt8]] {
        let newest = last > record.transaction ? last - 1 : record.transaction
        return [0, 1].map { index in
            let transaction = newest % 2 == UInt64(index) ? newest : newest > 0 ? newest - 1 : 0
            return DataFileMeta.renumbered(record.meta, page: index, transaction: transaction)
        }
    }

    /// Syncs a data file that has all commits, and writes a checkpoint that closes the log.
    private static func close(
        _ found: ExaminedFiles, _ files: RedoFiles, last: UInt64, _ path: String
    ) throws(LMDBError) {
        guard let old = found.record else { throw RedoFiles.changed(path) }
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false) else { throw RedoFiles.missingDataFile(path) }
        defer { SystemCalls.close(data) }
        let metas = try DataFileInspection.metaPages(data, pageSize: old.pageSize, path: path)
        let record = CheckpointRecord(
            number: old.number + 1, secret: .random(), pageSize: old.pageSize, isClosed: true,
            tail: .beginning(after: last), meta: metas[Int(last % 2)])
        func sync(_ stamp: DataFileStamp) throws(LMDBError) {
            try DataFileStamp.write(stamp, data, path: path)
            guard StoreFile.syncData(data, path: dataPath) else {
                throw LMDBError(code: errno, operation: "fdatasync", path: path)
            }
        }
        try sync(DataFileStamp(isOpen: true, done: old.identity, begun: record.identity))
        try files.side.clearFlags()
        try files.side.write(record)
        try sync(DataFileStamp(isOpen: false, done: record.identity, begun: record.identity))
    }

    /// Runs the operations of entries in one transaction.
    private static func run(
        _ entries: RedoEntries, to last: UInt64, _ path: String, _ options: LMDBEnvironment.Options
    ) throws(LMDBError) {
        let list = entries.list.filter { $0.entry.transaction <= last }
        guard !list.isEmpty else { return }
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
            for (entry, offset) in list {
                var run = unsafe RedoRun(transaction, path: path)
                try run.run(entries.content, from: offset + RedoEntry.headerByteCount, count: entry.operationByteCount)
            }
        } catch {
            unsafe Calls.abort(transaction)
            throw error
        }
        code = unsafe Calls.commit(transaction)
        guard code == 0 else {
            throw unsafe LMDBError(code: code, operation: "mdb_txn_commit", path: path)
                .tellingFullDisk(of: Calls.fileDescriptor(of: environment))
        }
    }

    // MARK: Files that do not belong together

    /// Keeps a data file that is whole by itself, and refuses another.
    private static func examine(
        _ found: ExaminedFiles, _ mismatch: RecoverySituation.Mismatch, _ path: String,
        _ options: LMDBEnvironment.Options
    ) throws(LMDBError) -> Outcome {
        let what = detail(of: mismatch)
        guard let data = try StoreFile.open(path + "/data.mdb", isReadOnly: true) else {
            throw RedoFiles.missingDataFile(path)
        }
        defer { SystemCalls.close(data) }
        if let damage = try damage(found, data, path) {
            throw LMDBError(
                .damaged, operation: "open", path: path,
                detail: "\(what), and data.mdb is not whole without its own log: \(damage)",
                remedy: "put the files of one store together, or restore a backup")
        }
        guard !options.isReadOnly else { return Outcome(hasLog: RedoFiles.exist(in: path), keepsMismatch: true) }
        try closeStamp(found, path)
        try RedoFiles.setAside(in: path)
        // A store that never had a log may have a format that older programs use.
        let hasLog = mismatch == .otherDataFile || mismatch == .newerThanLog
        if hasLog { try RedoFiles.create(in: path) }
        return Outcome(
            hasLog: hasLog,
            notice: "\(what); data.mdb is whole and stays as it is, and the other files end in .unused now")
    }

    /// Says on the disk that a data file needs no log, before files that are not its own go: an interruption would leave a store
    /// that seems to have lost its log.
    private static func closeStamp(_ found: ExaminedFiles, _ path: String) throws(LMDBError) {
        guard found.situation.stamp != .none else { return }
        let dataPath = path + "/data.mdb"
        guard let data = try StoreFile.open(dataPath, isReadOnly: false) else { throw RedoFiles.missingDataFile(path) }
        defer { SystemCalls.close(data) }
        let identity = CheckpointIdentity.random()
        try DataFileStamp.write(DataFileStamp(isOpen: false, done: identity, begun: identity), data, path: path)
        guard StoreFile.syncData(data, path: dataPath) else {
            throw LMDBError(code: errno, operation: "fdatasync", path: path)
        }
    }

    private static func isCheckpointDamaged(_ found: ExaminedFiles, _ path: String) throws(LMDBError) -> Bool {
        guard let record = found.record else { return false }
        guard let data = try StoreFile.open(path + "/data.mdb", isReadOnly: true) else {
            throw RedoFiles.missingDataFile(path)
        }
        defer { SystemCalls.close(data) }
        return try DataFileCheck.damage(data, meta: record.meta, leaves: true, path: path) != nil
    }

    private static func damage(_ found: ExaminedFiles, _ data: Int32, _ path: String) throws(LMDBError) -> String? {
        guard let meta = found.newestMeta else { return "it has no meta page" }
        return try DataFileCheck.damage(data, meta: meta, leaves: true, path: path)
    }

    // MARK: Giving up commits

    /// Makes a store usable that is refused because a file of its log is missing or damaged, and removes its log. The caller
    /// holds the ``LockFile``.
    ///
    /// - Returns: how many commits are given up; nil if the files do not say.
    /// - Throws: ``LMDBError`` with the code `damaged` if the data file is not whole either. Then nothing is changed.
    static func giveUp(_ path: String, _ options: LMDBEnvironment.Options) throws(LMDBError) -> Int? {
        let found = try ExaminedFiles(in: path, readsLog: true)
        guard case .refuse(let loss) = found.situation.decision else {
            _ = try recoverHeld(path, options)
            try RedoFiles.forget(in: path)
            return 0
        }
        if let record = found.record, case .record(_, isOfDataFile: true, _) = found.situation.side,
            loss != .olderThanCheckpoint, loss != .stampDamaged
        {
            let tail = found.entries?.tail ?? record.tail
            // Such an entry has no operations to run.
            let last = tail.isInDataFile ? tail.transaction - 1 : tail.transaction
            if found.entries != nil {
                try run(found, to: last, path, options)
            } else {
                try restore(record.meta, record, path)
            }
            try RedoFiles.forget(in: path)
            return Int(clamping: max(found.situation.newest, last) - last)
        }
        guard let data = try StoreFile.open(path + "/data.mdb", isReadOnly: true) else {
            throw RedoFiles.missingDataFile(path)
        }
        defer { SystemCalls.close(data) }
        if let damage = try damage(found, data, path) {
            throw LMDBError(
                .damaged, operation: "open", path: path,
                detail: "\(detail(of: loss)), and data.mdb is not whole without it: \(damage)",
                remedy: "restore a backup")
        }
        try RedoFiles.forget(in: path)
        return nil
    }

    /// Puts the data file back to a checkpoint whose log is missing.
    private static func restore(
        _ meta: [UInt8], _ record: CheckpointRecord, _ path: String
    ) throws(LMDBError) {
        guard let data = try StoreFile.open(path + "/data.mdb", isReadOnly: false) else {
            throw RedoFiles.missingDataFile(path)
        }
        defer { SystemCalls.close(data) }
        if let damage = try DataFileCheck.damage(data, meta: meta, leaves: true, path: path) {
            throw LMDBError(
                .damaged, operation: "open", path: path,
                detail: "data.mdb lacks pages of its last checkpoint: \(damage)", remedy: "restore a backup")
        }
        try write(metas(record, before: record.transaction), data, record.pageSize, path)
    }

    // MARK: Words

    static func detail(of mismatch: RecoverySituation.Mismatch) -> String {
        switch mismatch {
        case .otherDataFile, .unknownDataFile: "redo.checkpoint and redo.log belong to another data.mdb"
        case .earlierVersion: "redo.checkpoint and redo.log were written by an earlier version of ModelStore"
        case .newerThanLog: "data.mdb has later commits than redo.log"
        }
    }

    static func detail(of loss: RecoverySituation.Loss) -> String {
        switch loss {
        case .side(let isMissing):
            "redo.checkpoint is \(isMissing ? "missing" : "cut or damaged"), and the store was not closed: "
                + "the last acknowledged commits may be in redo.log only"
        case .sideForeign:
            "redo.checkpoint belongs to another data.mdb, or is of another time, and the store was not closed: "
                + "the last acknowledged commits may be in its own redo.log only"
        case .logMissing:
            "redo.log is missing, and the store was not closed: the last acknowledged commits may be lost with it"
        case .logUnreadable(let byteCount):
            "redo.log has \(byteCount) bytes, which no log has, and the store was not closed: "
                + "the last acknowledged commits may be lost with it"
        case .logForeign:
            "redo.log belongs to another store or was overwritten, and the store was not closed: "
                + "the last acknowledged commits may be lost with it"
        case .logDamaged(let offset): "redo.log is damaged at byte \(offset): commits after it are lost"
        case .earlierVersion: "redo.checkpoint was written by an earlier version of ModelStore"
        case .olderThanCheckpoint: "data.mdb is older than redo.checkpoint"
        case .stampDamaged: "data.mdb is damaged: its first page does not say to which log it belongs"
        }
    }

    private static func refusal(of loss: RecoverySituation.Loss, _ path: String) -> LMDBError {
        let remedy: String
        switch loss {
        case .earlierVersion: remedy = "open and close the store once with that version, or restore a backup"
        case .olderThanCheckpoint, .stampDamaged: remedy = "put the right data.mdb back, or restore a backup"
        default:
            remedy =
                "put the file back, restore a backup, or give these commits up with `store-cli redo-log off --accept-loss`"
        }
        let isDamage =
            switch loss {
            case .logDamaged, .stampDamaged: true
            default: false
            }
        return LMDBError(
            isDamage ? .damaged : .redoLogIncomplete, operation: "open", path: path, detail: detail(of: loss),
            remedy: remedy)
    }
}
