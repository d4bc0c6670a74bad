internal import Glibc

extension LMDBEnvironment {
    /// Whether commits are made durable by the redo log.
    package var logsCommits: Bool { redo != nil }

    /// The newest commit, its last page and the size of pages.
    func sizes() throws(LMDBError) -> LMDBInfo {
        var info: LMDBInfo?
        let code = unsafe Calls.info(handle.pointer, fileBytes: 0, into: &info)
        guard code == 0, let info else { throw failure(code, "mdb_env_info") }
        return info
    }

    /// The commit of the oldest reader of any process; nil if there is none. LMDB keeps all pages that were freed since.
    func oldestSnapshot() throws(LMDBError) -> UInt64? {
        if let lock = writerLock.value { return ReaderTable(lock, slotCount: try sizes().maximumReaders).oldest }
        return try listReaders().compactMap { $0.transactionID.map(UInt64.init) }.min()
    }

    /// Reads the first bytes of both meta pages. The caller holds LMDB's write lock.
    func metaPages() throws(LMDBError) -> [[UInt8]] {
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        var metas: [[UInt8]] = []
        for index in [0, 1] {
            let count = DataFileMeta.byteCount
            guard let bytes = SystemCalls.read(descriptor, at: index * pageSize, count: count), bytes.count == count
            else { throw LMDBError(code: SystemCalls.lastCode, operation: "read", path: path) }
            metas.append(bytes)
        }
        return metas
    }

    /// Writes all pages of the data file again as they are, after a failed sync: the system takes them for written. The caller
    /// holds LMDB's write lock and syncs the file.
    ///
    /// - Complexity: O(bytes of the file)
    func rewritePages() throws(LMDBError) {
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        let end = try (sizes().lastPage + 1) * pageSize
        var offset = 0
        while offset < end {
            guard let bytes = SystemCalls.read(descriptor, at: offset, count: min(1 << 20, end - offset)),
                !bytes.isEmpty, StoreFile.write(descriptor, bytes, at: offset, path: path + "/data.mdb")
            else { throw LMDBError(code: SystemCalls.lastCode, operation: "write", path: path) }
            offset += bytes.count
        }
    }

    /// Runs `body` with the newest commit while this thread holds LMDB's write lock, and makes no transaction.
    func whileHoldingWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError) {
        var transaction: OpaquePointer?
        let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: false, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else { throw failure(code, "mdb_txn_begin") }
        defer { unsafe Calls.abort(transaction) }
        try body(UInt64(unsafe Calls.identifier(of: transaction)) - 1)
    }

    /// Makes a commit durable that was too large for the log, by a checkpoint. Called after the commit.
    func checkpointLargeCommit(_ redo: RedoLog) throws(LMDBError) {
        do throws(LMDBError) {
            try whileHoldingWriterLock { newest throws(LMDBError) in try redo.prepare(newest: newest, self) }
        } catch {
            throw error.withUnknownOutcome()
        }
    }
}
