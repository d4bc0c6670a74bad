extension LMDBEnvironment {
    /// Whether commits are made durable by the redo log.
    package var logsCommits: Bool { redo != nil }

    /// The newest commit and its last page.
    func sizes() throws(LMDBError) -> LMDBInfo { try Self.info(of: handle, path: path) }

    /// The slots of readers; nil if the lock file is not mapped.
    var readerTable: ReaderTable? { writerLock.value.map { ReaderTable($0, slotCount: readerSlotCount) } }

    /// Whether no process holds a snapshot, but for a pin of this process.
    func isUnread(except pin: RedoPin?) throws(LMDBError) -> Bool {
        try listReaders().filter { $0.transactionID != nil }.count == (pin == nil ? 0 : 1)
    }

    /// Ends this process's hold on the last checkpoint, if it has written nothing since the last call. Call it from a timer.
    package func restLog() throws(LMDBError) {
        guard let redo, redo.hasPin else { return }
        try takeWriterSeat("mdb_env_sync", thread: SystemCalls.currentThreadIdentity)
        defer { gate.leaveWrite() }
        redo.rest(self)
    }

    /// Opens an environment without its lock file, runs `body`, and closes it. The caller holds the ``LockFile``, so no other process
    /// and no other part of this one has it open.
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

    /// The state of the redo log; nil if there is none.
    package func redoStatus() throws(LMDBError) -> RedoStatus? {
        guard let files = try RedoFiles(in: path, isReadOnly: true) else { return nil }
        defer { files.close() }
        return try RedoStatus(files)
    }

    /// The commit of the oldest reader of any process; nil if there is none. LMDB keeps all pages that were freed since.
    func oldestSnapshot() throws(LMDBError) -> UInt64? {
        if let readerTable { return readerTable.oldest }
        return try listReaders().compactMap { $0.transactionID.map(UInt64.init) }.min()
    }

    /// Reads the beginnings of both meta pages. The caller holds LMDB's write lock.
    func metaPages() throws(LMDBError) -> [[UInt8]] {
        try unsafe DataFileInspection.metaPages(
            Calls.fileDescriptor(of: handle.pointer), pageSize: pageSize, path: path)
    }

    /// Writes all pages of the data file again, after a failed sync. The caller holds LMDB's write lock and syncs the file.
    ///
    /// - Complexity: O(bytes of the file)
    func rewritePages() throws(LMDBError) {
        let end = try (sizes().lastPage + 1) * pageSize
        // Pages that LMDB has never written may lie behind the end of the file.
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        let byteCount = min(end, SystemCalls.byteCount(of: descriptor) ?? end)
        try StoreFile.rewrite(descriptor, byteCount: byteCount, path: path + "/data.mdb")
    }

    /// Runs `body` with the newest commit while this thread holds LMDB's write lock, and makes no transaction.
    func whileHoldingWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError) {
        var transaction: OpaquePointer?
        let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: false, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else { throw failure(code, "mdb_txn_begin") }
        defer { unsafe Calls.abort(transaction) }
        try body(UInt64(unsafe Calls.identifier(of: transaction)) - 1)
    }

    /// Makes a commit durable that was too large for the log, by a checkpoint. Called after the commit, so other processes may see
    /// the commit before it is durable.
    func checkpointLargeCommit(_ redo: RedoLog) throws(LMDBError) {
        do throws(LMDBError) {
            try whileHoldingWriterLock { newest throws(LMDBError) in try redo.prepare(newest: newest, self) }
        } catch {
            throw error.withUnknownOutcome()
        }
    }
}
