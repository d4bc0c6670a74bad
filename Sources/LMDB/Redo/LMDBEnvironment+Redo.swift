extension LMDBEnvironment {
    /// Whether commits are made durable by the redo log.
    package var logsCommits: Bool { redo != nil }

    /// The newest commit and its last page.
    func sizes() throws(LMDBError) -> LMDBInfo { try Self.info(of: handle, path: path) }

    /// The commit of the oldest reader of any process; nil if there is none. LMDB keeps all pages that were freed since.
    func oldestSnapshot() throws(LMDBError) -> UInt64? {
        if let lock = writerLock.value { return ReaderTable(lock, slotCount: readerSlotCount).oldest }
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
