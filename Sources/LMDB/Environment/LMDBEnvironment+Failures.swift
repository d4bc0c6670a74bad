internal import CLMDB
internal import Synchronization

/// The errors of this environment: LMDB's codes with context, and the errors of this layer.
extension LMDBEnvironment {
    func failure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        if code == MDB_PANIC { hasPanicked.store(true, ordering: .relaxed) }
        // While an environment is open, only the check of the reader table returns this code.
        if code == MDB_INVALID { return Self.overwrittenLockFile(of: path, operation) }
        let error = LMDBError(code: code, operation: "\(operation)", path: path)
        if error.code == .damaged, let lost = lostPages(operation) { return lost }
        guard code == MDB_READERS_FULL else { return error }
        return error.adding("\(oldestReader ?? "no reader holds a snapshot")")
    }

    /// Returns the error for a failed operation of a write transaction. A full map may contain pages that slots of dead readers
    /// keep. The method clears these slots, so that the next run can use the pages.
    func writeFailure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        if code > 0 { return systemFailure(code, operation) }
        guard code == MDB_MAP_FULL else { return failure(code, operation) }
        if let quota, let info = try? sizes(), info.mapSize >= dataLimit.load(ordering: .relaxed) {
            return storeFull(quota, info, operation, code)
        }
        var cleared: Int32 = 0
        _ = unsafe Calls.checkReaders(handle.pointer, cleared: &cleared)
        var error = failure(code, operation)
        if cleared > 0 { error = error.adding("\(cleared) slots of dead readers were cleared") }
        return oldestReader.map { error.adding($0) } ?? error
    }

    /// Returns the error for a failed commit of an outermost transaction, which still holds the writer seat.
    func commitFailure(_ code: Int32) -> LMDBError {
        // A redo log makes up for it by a checkpoint, if a sync of the data file was among it.
        if code > 0, redo == nil { markUnsettled() }
        let error = writeFailure(code, "mdb_txn_commit")
        guard code > 0, isPanicked() else { return error }
        return error.withUnknownOutcome()
    }

    private func systemFailure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        unsafe failure(code, operation).tellingFullDisk(of: Calls.fileDescriptor(of: handle.pointer))
    }

    /// Returns whether LMDB has disabled the environment. LMDB reports this only when a transaction begins.
    private func isPanicked() -> Bool {
        var transaction: OpaquePointer?
        let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: true, into: &transaction)
        if let transaction = unsafe transaction { unsafe Calls.abort(transaction) }
        guard code == MDB_PANIC else { return false }
        hasPanicked.store(true, ordering: .relaxed)
        return true
    }

    /// The process that holds the oldest snapshot, and with it all pages freed since.
    var oldestReader: String? {
        let holders = (try? listReaders())?.filter { $0.transactionID != nil } ?? []
        guard let oldest = holders.min(by: { ($0.transactionID ?? 0) < ($1.transactionID ?? 0) }) else { return nil }
        return
            "the oldest snapshot, of transaction \(oldest.transactionID ?? 0), is held by process \(oldest.processID)"
    }

    func refused(_ refusal: TransactionGateState.Refusal, _ operation: StaticString) -> LMDBError {
        switch refusal {
        case .closed:
            LMDBError(
                .closed, operation: "\(operation)", path: path, detail: "the environment is closed",
                remedy: "open it again")
        case .broken:
            LMDBError(
                .panicked, operation: "\(operation)", path: path, detail: "the environment lost its map",
                remedy: "close the environment and open it again")
        case .alreadyWriting:
            LMDBError(
                .busy, operation: "\(operation)", path: path,
                detail: "this thread already has a write transaction open, so a second one would wait forever",
                remedy: "commit or abort it first, or begin a child of it")
        case .abandonedWriter:
            LMDBError(
                .wrongThread, operation: "\(operation)", path: path,
                detail: "a write transaction was dropped on a thread other than its own, and still holds LMDB's lock",
                remedy:
                    "begin a write on the thread that began it, which releases the lock, and then write on one thread only"
            )
        case .deadWriter:
            panicked(operation)
        }
    }

    private func panicked(_ operation: StaticString) -> LMDBError {
        hasPanicked.store(true, ordering: .relaxed)
        return LMDBError(
            .panicked, operation: "\(operation)", path: path,
            detail: "a thread ended inside its write transaction",
            remedy: "close the environment and open it again, and end each transaction on its own thread")
    }

    func forkedChild(_ operation: StaticString) -> LMDBError {
        LMDBError(
            .forkedChild, operation: "\(operation)", path: path,
            detail: "this process is a forked child of the one that opened the environment",
            remedy: "open the store in the child, or use it in the parent only")
    }

    func wrongThread(_ operation: StaticString) -> LMDBError {
        LMDBError(
            .wrongThread, operation: "\(operation)", path: path,
            detail: "a write transaction was used on a thread other than the one that began it",
            remedy: "begin, write and commit on one thread")
    }

    func notInnermost(_ operation: StaticString, hasEnded: Bool) -> LMDBError {
        LMDBError(
            .badTransaction, operation: "\(operation)", path: path,
            detail: hasEnded
                ? "the transaction ended together with its parent" : "the transaction has an open child",
            remedy: hasEnded ? "begin a new one" : "commit or abort the child first")
    }

    func blocked(_ operation: StaticString, running: Int, seconds: Double, _ code: LMDBError.Code) -> LMDBError {
        let who = "\(running) transactions of this process were still open after \(seconds) s"
        guard code == .growthBlocked else {
            return LMDBError(
                code, operation: "\(operation)", path: path, detail: who, remedy: "end them, then retry")
        }
        return LMDBError(
            code, operation: "\(operation)", path: path, detail: "the map cannot grow: \(who)",
            remedy: "end them and retry, and keep read transactions short")
    }

    /// Throws unless a second open with these options may share this environment.
    func checkSharing(by other: Options, at otherPath: String, openCount: Int) throws(LMDBError) {
        guard !hasPanicked.load(ordering: .relaxed) else {
            throw LMDBError(
                .panicked, operation: "open", path: otherPath,
                detail:
                    "LMDB disabled this environment after an error, and this process still has it open \(openCount) times",
                remedy: openCount > 0
                    ? "close each of these stores, then open it again"
                    : "restart the process: a thread holds LMDB's lock for a transaction that no longer exists")
        }
        var conflicts: [String] = []
        if other.isReadOnly != options.isReadOnly { conflicts.append("isReadOnly") }
        if other.syncs != options.syncs { conflicts.append("syncs") }
        if other.mapSize > options.mapSize { conflicts.append("mapSize") }
        if other.maximumReaders > options.maximumReaders { conflicts.append("maximumReaders") }
        if other.maximumDatabases > options.maximumDatabases { conflicts.append("maximumDatabases") }
        guard !conflicts.isEmpty else { return }
        throw LMDBError(
            .conflictingOptions, operation: "open", path: otherPath,
            detail: "this process has the store open with other options: \(conflicts.joined(separator: ", "))",
            remedy: "open it with the same options, or close the other store first")
    }
}

extension LMDBError {
    /// Returns the error of a failed write to a file. LMDB reports a short write as EIO; the free space distinguishes a full disk
    /// from a broken one.
    func tellingFullDisk(of descriptor: Int32) -> LMDBError {
        let roomForAnything = 1 << 20
        guard code == .ioError, let free = SystemCalls.freeBytes(of: descriptor), free < roomForAnything else {
            return self
        }
        return LMDBError(
            .diskFull, operation: operation, path: path, systemCode: systemCode,
            detail: "the disk is full: \(free) bytes are free", remedy: "free space, then retry")
    }
}
