internal import CLMDB
internal import Dispatch
internal import Synchronization

extension LMDBEnvironment {
    /// How often a begin takes over another process's growth, or clears dead readers, before it gives up.
    private static let maximumAttempts = 8

    // MARK: Reading

    /// Begins a read transaction on the newest commit. Never waits for a writer.
    package func beginRead() throws(LMDBError) -> LMDBReadTransaction {
        var attempt = 1
        while true {
            if isForked { throw forkedChild("mdb_txn_begin") }
            let code: Int32
            let thread = SystemCalls.currentThread
            switch gate.enterRead(thread) {
            case .refused(let refusal): throw refused(refusal, "mdb_txn_begin")
            case .pooled(let context):
                context.readingThread = thread
                code = context.renew()
                if code == 0 { return LMDBReadTransaction(environment: self, context: context) }
                leaveRead(thread, context)
            case .fresh:
                var transaction: OpaquePointer?
                code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: true, into: &transaction)
                if code == 0, let transaction = unsafe transaction {
                    let context = unsafe TransactionContext(environment: self, handle: transaction, writing: nil)
                    context.readingThread = thread
                    return LMDBReadTransaction(environment: self, context: context)
                }
                leaveRead(thread, nil)
            }
            try mend(code, "mdb_txn_begin", attempt: attempt)
            attempt += 1
        }
    }

    func endRead(_ context: TransactionContext) {
        // A forked child's copy is the parent's to end: its reader slot is the parent's.
        guard !isForked else { return }
        context.reset()
        leaveRead(context.readingThread, context)
    }

    private func leaveRead(_ thread: UInt, _ context: TransactionContext?) {
        gate.leaveRead(thread, keeping: context)?.end()
    }

    /// Whether a read transaction that began on this thread still runs: a close would wait for it, and it for the close.
    package var isReadOnThisThread: Bool {
        gate.isReading(SystemCalls.currentThread)
    }

    /// Mends what kept a transaction from beginning, if that can be mended; else throws.
    private func mend(_ code: Int32, _ operation: StaticString, attempt: Int) throws(LMDBError) {
        if attempt < Self.maximumAttempts {
            if code == MDB_MAP_RESIZED { return try adoptForeignGrowth() }
            if code == MDB_READERS_FULL, try clearStaleReaders() > 0 { return }
        }
        throw failure(code, operation)
    }

    // MARK: Writing

    /// Begins the write transaction, waiting for the one that runs, here or in another process. Operations and commit
    /// must happen on this very thread.
    ///
    /// Without `syncsMeta` a power loss may undo the last commits, never tear one.
    ///
    /// - Parameter patience: the longest wait for another process, which fails with `writerHeld`; no limit when nil.
    package func beginWrite(
        syncsMeta: Bool = true, patience: Duration? = nil
    ) throws(LMDBError) -> LMDBWriteTransaction {
        if options.isReadOnly {
            throw LMDBError(
                .readOnly, operation: "mdb_txn_begin", path: path, detail: "the environment is open read-only",
                remedy: "close it and open it for writing")
        }
        let thread = SystemCalls.currentThreadIdentity
        var attempt = 1
        while true {
            try takeWriterSeat("mdb_txn_begin", thread: thread)
            writerWatch.begin()
            if let patience {
                do {
                    try waitForWriterLock(atMost: patience)
                } catch {
                    writerWatch.end()
                    gate.leaveWrite()
                    throw error
                }
            }
            var transaction: OpaquePointer?
            let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: false, into: &transaction)
            writerWatch.end()
            if code == 0, let transaction = unsafe transaction {
                do {
                    try files.requireNamed("mdb_txn_begin", path: path)
                } catch {
                    unsafe Calls.abort(transaction)
                    gate.leaveWrite()
                    throw error
                }
                deferMetaSync(!syncsMeta)
                let lineage = WriteLineage(thread: thread.handle)
                let context = unsafe TransactionContext(environment: self, handle: transaction, writing: lineage)
                lineage.levels.append(context)
                return LMDBWriteTransaction(environment: self, context: context, lineage: lineage, level: 0)
            }
            gate.leaveWrite()
            try mend(code, "mdb_txn_begin", attempt: attempt)
            attempt += 1
        }
    }

    /// Takes the seat, and ends first what this thread left behind when its transaction was dropped elsewhere.
    func takeWriterSeat(_ operation: StaticString, thread: ThreadIdentity) throws(LMDBError) {
        if isForked { throw forkedChild(operation) }
        switch gate.enterWrite(thread) {
        case .entered: return
        case .enteredAfter(let context): context.end()
        case .refused(let refusal): throw refused(refusal, operation)
        }
    }

    private func deferMetaSync(_ defers: Bool) {
        defersMetaSync.withLock { current in
            guard current != defers else { return }
            current = defers
            unsafe Calls.setDefersMetaSync(handle.pointer, defers)
        }
    }

    func beginChild(of parent: OpaquePointer, into child: inout OpaquePointer?) -> Int32 {
        unsafe Calls.begin(handle.pointer, parent: parent, isReadOnly: false, into: &child)
    }

    /// Commits one level of a write transaction; called on its thread, for the innermost.
    func commit(
        _ transaction: OpaquePointer, _ lineage: WriteLineage, level: Int, context: TransactionContext
    ) throws(LMDBError) {
        if context.hasFailed {
            // LMDB would answer the commit of a failed child by failing its parent too.
            endWrite(lineage, level: level, context: context)
            throw failure(MDB_BAD_TXN, "mdb_txn_commit")
        }
        if level == 0 {
            do {
                try files.requireNamed("mdb_txn_commit", path: path)
            } catch {
                endWrite(lineage, level: level, context: context)
                throw error
            }
        }
        lineage.levels.removeLast()
        unsafe context.handle = nil
        let code = unsafe Calls.commit(transaction)
        lineage.end(level: level, isCommitted: code == 0)
        guard level == 0 else {
            guard code == 0 else { throw failure(code, "mdb_txn_commit") }
            return
        }
        defer { gate.leaveWrite() }
        guard code == 0 else { throw commitFailure(code) }
        guard !lineage.opened.isEmpty else { return }
        databases.withLock { databases in
            for entry in lineage.opened { databases[entry.name] = entry.database }
        }
    }

    /// Aborts one level of a write transaction and those within it.
    func endWrite(_ lineage: WriteLineage, level: Int, context: TransactionContext) {
        // A forked child's copy is the parent's to end.
        guard !isForked else { return }
        guard lineage.thread == SystemCalls.currentThread else {
            // Only its own thread can unlock LMDB's mutex. A child is ended with its parent.
            if level == 0 { gate.abandonWrite(context) }
            return
        }
        guard unsafe context.handle != nil else { return }
        for inner in lineage.levels[(level + 1)...] { unsafe inner.handle = nil }
        lineage.levels.removeSubrange(level...)
        lineage.end(level: level, isCommitted: false)
        context.end()
        if level == 0 { gate.leaveWrite() }
    }
}
