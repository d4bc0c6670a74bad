internal import CLMDB
internal import Synchronization

extension LMDBEnvironment {
    /// Begins a read transaction on the newest commit. Never waits for a writer.
    package func beginRead() throws(LMDBError) -> LMDBReadTransaction {
        switch gate.enterRead() {
        case .refused(let refusal): throw refused(refusal, "mdb_txn_begin")
        case .pooled(let context):
            var code: Int32 = 0
            if let handle = unsafe context.handle { code = unsafe Calls.renew(handle) }
            guard code == 0 else {
                _ = gate.leaveRead(keeping: context)
                throw failure(code, "mdb_txn_renew")
            }
            return LMDBReadTransaction(environment: self, context: context)
        case .fresh:
            var transaction: OpaquePointer?
            let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: true, into: &transaction)
            guard code == 0, let transaction = unsafe transaction else {
                _ = gate.leaveRead(keeping: nil)
                throw failure(code, "mdb_txn_begin")
            }
            let context = unsafe TransactionContext(environment: self, handle: transaction, writing: nil)
            return LMDBReadTransaction(environment: self, context: context)
        }
    }

    func endRead(_ context: TransactionContext) {
        if let handle = unsafe context.handle { unsafe Calls.reset(handle) }
        context.endRetired()
        if let surplus = gate.leaveRead(keeping: context), let handle = unsafe surplus.handle {
            unsafe Calls.abort(handle)
        }
    }

    /// Begins the write transaction, waiting for the one that runs, here or in another process. Operations and commit
    /// must happen on this very thread.
    ///
    /// Without `syncsMeta` a power loss may undo the last commits, never tear one.
    package func beginWrite(syncsMeta: Bool = true) throws(LMDBError) -> LMDBWriteTransaction {
        let thread = SystemCalls.currentThread
        while true {
            switch gate.enterWrite(thread: thread) {
            case .refused(let refusal): throw refused(refusal, "mdb_txn_begin")
            case .mustEnd(let context):
                endAbandoned(context)
                gate.leaveWrite()
                continue
            case .entered: break
            }
            break
        }
        var transaction: OpaquePointer?
        var code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: false, into: &transaction)
        if code == 0 { code = deferMetaSync(!syncsMeta) }
        guard code == 0, let transaction = unsafe transaction else {
            gate.leaveWrite()
            throw failure(code, "mdb_txn_begin")
        }
        let lineage = WriteLineage(thread: thread)
        let context = unsafe TransactionContext(environment: self, handle: transaction, writing: lineage)
        lineage.levels.append(context)
        return LMDBWriteTransaction(environment: self, context: context, lineage: lineage, level: 0)
    }

    /// Ends, on its own thread at last, a write transaction that was dropped on another.
    func endAbandoned(_ context: TransactionContext) {
        if let handle = unsafe context.handle { unsafe Calls.abort(handle) }
        unsafe context.handle = nil
    }

    private func deferMetaSync(_ defers: Bool) -> Int32 {
        defersMetaSync.withLock { current in
            guard current != defers else { return 0 }
            current = defers
            return unsafe Calls.setDefersMetaSync(handle.pointer, defers)
        }
    }

    func beginChild(of parent: OpaquePointer, into child: inout OpaquePointer?) -> Int32 {
        unsafe Calls.begin(handle.pointer, parent: parent, isReadOnly: false, into: &child)
    }

    /// Commits one level of a write transaction; called on its thread, for the innermost.
    func commit(
        _ transaction: OpaquePointer, _ lineage: WriteLineage, level: Int, context: TransactionContext
    ) throws(LMDBError) {
        lineage.levels.removeLast()
        unsafe context.handle = nil
        let code = unsafe Calls.commit(transaction)
        if level == 0 {
            if code == 0 {
                databases.withLock { databases in
                    for entry in lineage.opened { databases[entry.name] = entry.database }
                }
            }
            gate.leaveWrite()
        } else if code == 0 {
            for index in lineage.opened.indices where lineage.opened[index].level == level {
                lineage.opened[index].level = level - 1
            }
        } else {
            lineage.opened.removeAll { $0.level >= level }
        }
        if code != 0 { throw writeFailure(code, "mdb_txn_commit") }
    }

    /// Aborts one level of a write transaction and those within it.
    func endWrite(_ lineage: WriteLineage, level: Int, context: TransactionContext) {
        guard let handle = unsafe context.handle else { return }
        for inner in lineage.levels[level...] { unsafe inner.handle = nil }
        lineage.levels.removeSubrange(level...)
        lineage.opened.removeAll { $0.level >= level }
        unsafe Calls.abort(handle)
        if level == 0 { gate.leaveWrite() }
    }
}
