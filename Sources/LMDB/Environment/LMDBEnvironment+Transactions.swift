internal import CLMDB
internal import Dispatch
internal import Glibc
internal import Synchronization

extension LMDBEnvironment {
    /// How often a begin adopts the growth of another process, or clears dead readers, before it fails.
    private static let maximumAttempts = 8

    // MARK: Reading

    /// Begins a read transaction on the newest commit. Does not wait for a writer.
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
                let renewed = context.renew()
                code = renewed == 0 ? try findPages(context) : renewed
                if code == 0 { return LMDBReadTransaction(environment: self, context: context) }
                leaveRead(thread, context)
            case .fresh:
                var transaction: OpaquePointer?
                code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: true, into: &transaction)
                if code == 0, let transaction = unsafe transaction {
                    let context = unsafe TransactionContext(environment: self, handle: transaction, writing: nil)
                    context.readingThread = thread
                    let found = try findPages(context)
                    if found == 0 { return LMDBReadTransaction(environment: self, context: context) }
                    endRead(context)
                    try mend(found, "mdb_txn_begin", attempt: attempt)
                    attempt += 1
                    continue
                }
                leaveRead(thread, nil)
            }
            try mend(code, "mdb_txn_begin", attempt: attempt)
            attempt += 1
        }
    }

    /// Looks up the pages of a transaction that has just begun, and ends it if that fails.
    private func findPages(_ context: TransactionContext) throws(LMDBError) -> Int32 {
        do {
            return try context.findPages()
        } catch {
            endRead(context)
            throw error
        }
    }

    func endRead(_ context: TransactionContext) {
        // In a forked child, the reader slot belongs to the parent, which has to end the transaction.
        guard !isForked else { return }
        context.reset()
        leaveRead(context.readingThread, context)
    }

    private func leaveRead(_ thread: UInt, _ context: TransactionContext?) {
        gate.leaveRead(thread, keeping: context)?.end()
    }

    /// Whether a read transaction that began on this thread is still running. A close on this thread would then be a deadlock.
    package var isReadOnThisThread: Bool {
        gate.isReading(SystemCalls.currentThread)
    }

    /// Removes the cause of a failed begin, if possible; otherwise throws.
    private func mend(_ code: Int32, _ operation: StaticString, attempt: Int) throws(LMDBError) {
        if attempt < Self.maximumAttempts {
            if code == MDB_MAP_RESIZED { return try adoptForeignGrowth() }
            if code == MDB_READERS_FULL, try clearStaleReaders() > 0 { return }
        }
        throw failure(code, operation)
    }

    // MARK: Writing

    /// Begins the write transaction, after waiting for the current one in this or another process. All operations and the commit
    /// must run on this thread.
    ///
    /// Without `syncsMeta`, a power loss may undo the last commits, but never a part of one.
    ///
    /// - Parameter patience: the longest wait for another process, after which the begin fails with `writerHeld`; no limit if
    ///   nil.
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
                let lineage = WriteLineage(thread: thread.handle)
                let context = unsafe TransactionContext(environment: self, handle: transaction, writing: lineage)
                do {
                    try requireWholeFiles("mdb_txn_begin")
                    if let redo {
                        try redo.prepare(newest: UInt64(unsafe Calls.identifier(of: transaction)) - 1, self)
                        lineage.operations = RedoOperations(maximumByteCount: redo.limits.entryByteCount)
                        lineage.waits = syncsMeta
                    } else {
                        try settle()
                    }
                    try pageChecks.begin(context, in: self)
                } catch {
                    context.end()
                    gate.leaveWrite()
                    throw error
                }
                if redo == nil { deferMetaSync(!syncsMeta) }
                lineage.levels.append(context)
                return LMDBWriteTransaction(environment: self, context: context, lineage: lineage, level: 0)
            }
            gate.leaveWrite()
            try mend(code, "mdb_txn_begin", attempt: attempt)
            attempt += 1
        }
    }

    /// Takes the writer seat. First ends a transaction of this thread that was dropped on another thread.
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

    /// Commits one level of a write transaction. Called on its thread, for the innermost level.
    func commit(
        _ transaction: OpaquePointer, _ lineage: WriteLineage, level: Int, context: TransactionContext
    ) throws(LMDBError) {
        if context.hasFailed {
            // LMDB would fail the parent too, if a failed child were committed.
            endWrite(lineage, level: level, context: context)
            throw failure(MDB_BAD_TXN, "mdb_txn_commit")
        }
        var logged: RedoLog.Appended?
        if level == 0 {
            do {
                try requireWholeFiles("mdb_txn_commit")
                logged = try unsafe logOperations(of: lineage, transaction)
            } catch {
                endWrite(lineage, level: level, context: context)
                throw error
            }
        }
        lineage.levels.removeLast()
        unsafe context.handle = nil
        let code = unsafe commit(transaction, logged)
        lineage.end(level: level, isCommitted: code == 0)
        guard level == 0 else {
            guard code == 0 else { throw failure(code, "mdb_txn_commit") }
            return
        }
        defer { gate.leaveWrite() }
        guard code == 0 else {
            let error = commitFailure(code)
            if let redo, let logged, !redo.withdraw(logged, isSynced: code <= 0) {
                throw error.withUnknownOutcome()
            }
            throw error
        }
        if let redo, case .inDataFile = logged { checkpointLargeCommit(redo) }
        if redo != nil { armRest() }
        guard !lineage.opened.isEmpty else { return }
        databases.withLock { databases in
            for entry in lineage.opened { databases.add(entry.name, entry.database) }
        }
    }

    /// Makes LMDB's commit. One that is too large for the redo log is made in LMDB's own order: its pages, a sync, its meta page.
    /// So no other process sees it before it is durable.
    private func commit(_ transaction: OpaquePointer, _ logged: RedoLog.Appended?) -> Int32 {
        guard case .inDataFile = logged, let redo else { return unsafe Calls.commit(transaction) }
        let code = redo.commitLarge {
            unsafe Calls.setSyncs(handle.pointer, true)
            defer { unsafe Calls.setSyncs(handle.pointer, false) }
            return unsafe Calls.commit(transaction)
        }
        if let code { return code }
        unsafe Calls.abort(transaction)
        return EIO
    }

    /// Appends the operations of an outermost transaction to the redo log.
    ///
    /// - Returns: nil if there is no log, or nothing to log.
    private func logOperations(
        of lineage: WriteLineage, _ transaction: OpaquePointer
    ) throws(LMDBError) -> RedoLog.Appended? {
        guard let redo, var operations = lineage.operations, !operations.isEmpty else { return nil }
        // The lineage needs them no more. Without this, the bytes would be copied.
        lineage.operations = nil
        let number = UInt64(unsafe Calls.identifier(of: transaction))
        return try redo.append(&operations, transaction: number, waits: lineage.waits, self)
    }

    /// Aborts one level of a write transaction, and the levels inside it.
    func endWrite(_ lineage: WriteLineage, level: Int, context: TransactionContext) {
        // In a forked child, the transaction belongs to the parent, which has to end it.
        guard !isForked else { return }
        guard lineage.thread == SystemCalls.currentThread else {
            // Only the transaction's own thread can unlock LMDB's mutex. A child ends with its parent.
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
