internal import Glibc

/// The timer that ends a process's hold on the last checkpoint.
struct RestTimer {
    /// How long the process must have written nothing; nil if nothing rests.
    var delay: Duration?
    var isArmed = false
}

extension LMDBEnvironment: LoggedFile {
    /// Whether commits are made durable by the redo log.
    package var logsCommits: Bool { redo != nil }

    /// The slots of readers; nil if the lock file is not mapped.
    var readerTable: ReaderTable? { lockMap.map { ReaderTable($0, slotCount: readerSlotCount) } }

    private var descriptor: Int32 { unsafe Calls.fileDescriptor(of: handle.pointer) }

    func newestMeta() throws(LMDBError) -> [UInt8] {
        let metas = try DataFileInspection.metaPages(descriptor, pageSize: pageSize, path: path)
        let newest = metas.max { transaction($0) < transaction($1) }
        guard let newest else { throw damagedMeta("read") }
        return newest
    }

    private func transaction(_ meta: [UInt8]) -> UInt64 { DataFileMeta.read(meta).meta?.transactionID ?? 0 }

    func usedByteCount() throws(LMDBError) -> Int {
        (try sizes().lastPage + 1) * pageSize
    }

    /// The newest commit and its last page.
    func sizes() throws(LMDBError) -> LMDBInfo { try Self.info(of: handle, path: path) }

    func pageCount(freedAfter transaction: UInt64) throws(LMDBError) -> Int {
        let newest = try sizes().lastTransactionID
        var map: FileMap?
        guard case .found(let pages) = try pages(of: newest, isSettled: true, in: &map) else {
            throw damagedMeta("read")
        }
        guard let count = pages.pageCount(freedAfter: transaction) else { throw damaged(nil, "read") }
        return count
    }

    func readStamp() throws(LMDBError) -> DataFileStamp.Reading { try DataFileStamp.read(descriptor, path: path) }
    func write(_ stamp: DataFileStamp) throws(LMDBError) { try DataFileStamp.write(stamp, descriptor, path: path) }

    func sync() -> Int32 { unsafe Calls.sync(handle.pointer) }

    func oldestSnapshot() throws(LMDBError) -> UInt64? { readerTable?.oldest }
    func pin(on transaction: UInt64) throws(LMDBError) -> RedoPin { try RedoPin(on: transaction, self) }
    func movePins(to transaction: UInt64) { readerTable?.movePins(to: transaction) }

    var isPinnedElsewhere: Bool {
        var cleared: Int32 = 0
        _ = unsafe Calls.checkReaders(handle.pointer, cleared: &cleared)
        return readerTable?.hasForeignPin ?? false
    }

    func whileHoldingFreeWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError) {
        if writerLock?.isHeld != true { try whileHoldingWriterLock(body) }
    }

    func whileHoldingWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError) {
        var transaction: OpaquePointer?
        let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: false, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else { throw failure(code, "mdb_txn_begin") }
        defer { unsafe Calls.abort(transaction) }
        try body(UInt64(unsafe Calls.identifier(of: transaction)) - 1)
    }

    /// Makes the checkpoint that has to follow a commit which was too large for the log. The commit is durable without it, and if
    /// it fails, the next write tries it again. The caller has the writer seat.
    func checkpointLargeCommit(_ redo: RedoLog) {
        try? whileHoldingWriterLock { newest throws(LMDBError) in try redo.prepare(newest: newest, self) }
    }

    // MARK: Failed syncs

    /// Throws if a sync of the data file has failed since the last checkpoint, in any process: sound data may look damaged until
    /// the store is recovered.
    package func requireWrittenPages() throws(LMDBError) {
        if let error = lostPages("mdb_get") { throw error }
    }

    /// The error for a page that looks damaged, if a failed sync explains it; nil if no sync has failed.
    func lostPages(_ operation: StaticString) -> LMDBError? {
        guard let side = try? CheckpointFile(in: path, isReadOnly: true) else { return nil }
        defer { side.close() }
        guard let flags = try? side.flags(), flags.contains(.data),
            let checkpoint = try? side.newest(), !checkpoint.isClosed
        else { return nil }
        return .lostPages(operation, path)
    }

    // MARK: Rest

    /// From here on, ends this process's hold on the last checkpoint when it has written nothing for about twice this time.
    ///
    /// - Throws: ``LMDBError`` with the code `threadUnavailable`.
    package func restLog(after delay: Duration) throws(LMDBError) {
        guard redo != nil else { return }
        try Timers.start(for: path)
        restTimer.withLock { $0.delay = delay }
    }

    /// Called after each commit.
    func armRest() {
        let delay = restTimer.withLock { timer -> Duration? in
            guard let delay = timer.delay, !timer.isArmed else { return nil }
            timer.isArmed = true
            return delay
        }
        guard let delay else { return }
        Timers.after(delay) { [weak self] in self?.restElsewhere() }
    }

    /// Rests on a thread of its own, because timers must be quick.
    private func restElsewhere() {
        restTimer.withLock { $0.isArmed = false }
        try? SystemThread.start("store-sync", for: path) { [self] in
            try? restLog()
            if redo?.hasPin == true { armRest() }
        }
    }

    /// Ends this process's hold on the last checkpoint, if it has written nothing since the last call.
    package func restLog() throws(LMDBError) {
        guard let redo, redo.isResting() else { return }
        redo.syncAhead(self)
        try takeWriterSeat("mdb_env_sync", thread: SystemCalls.currentThreadIdentity)
        defer { gate.leaveWrite() }
        redo.end(self)
    }

    /// How many checkpoints a write of this process had to wait for.
    package var checkpointWaitCount: Int { redo?.waitCount ?? 0 }

    /// The state of the redo log; nil if there is none.
    package func redoStatus() throws(LMDBError) -> RedoStatus? {
        // A reader needs no log of a closed store. The next opening for writing makes a missing file again.
        guard redo != nil || RedoFiles.areComplete(in: path) else { return nil }
        let files = try RedoFiles(in: path, isReadOnly: true)
        defer { files.close() }
        return try RedoStatus(files)
    }

    /// Opens an environment without its lock file, runs `body`, and closes it. The caller holds the ``LockFile``, so no other
    /// process and no other part of this one has it open.
    package static func whileHeld<Value>(
        at path: String, options: Options, _ body: (LMDBEnvironment) -> Value
    ) throws(LMDBError) -> Value {
        var alone = options
        alone.usesLockFile = false
        let environment = try openAlone(at: path, options: alone)
        let value = body(environment)
        for context in environment.gate.takeIdle() { context.end() }
        environment.closeFiles()
        return value
    }
}

extension LMDBError {
    /// Returns the error for a data file of which a sync has failed.
    static func lostPages(_ operation: StaticString, _ path: String) -> LMDBError {
        LMDBError(
            .lostPages, operation: "\(operation)", path: path,
            detail:
                "a sync of data.mdb failed, so the pages of it in the system's memory may not be those that were written",
            remedy: "close the store in all processes, then open it again: the redo log has all acknowledged commits")
    }
}

extension SnapshotPages {
    /// Returns how many pages later transactions than this one have freed; nil if the free list is damaged.
    ///
    /// - Complexity: O(these transactions)
    func pageCount(freedAfter transaction: UInt64) -> Int? {
        guard freeList.isSound(in: self) else { return nil }
        let walk = unsafe MappedWalk.make(MappedTree(freeList, self))
        defer { unsafe MappedWalk.free(walk) }
        var count = 0
        var move = unsafe walk.pointee.moveToEnd(-1)
        while case .entry(let key, let value) = move {
            guard key.count == MemoryLayout<UInt64>.size, value.count >= MemoryLayout<UInt64>.size else { return nil }
            guard unsafe key.loadUnaligned(as: UInt64.self) > transaction else { return count }
            count += Int(clamping: unsafe value.loadUnaligned(as: UInt64.self))
            move = unsafe walk.pointee.move(by: -1)
        }
        if case .damage = move { return nil }
        return count
    }
}
