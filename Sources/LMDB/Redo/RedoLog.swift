internal import Glibc

/// The redo log of an environment, as this process uses it: one append and one sync make a commit durable, and LMDB's own file is
/// synced at checkpoints only.
///
/// The log contains the commits since the last checkpoint. After a crash of the system, and only then, the data file is put
/// back to the checkpoint and the log is run again (``RedoRecovery``). The pages of the checkpoint are still there, because each
/// process that writes holds a pin on them (``RedoPin``).
///
/// Cycle of a write, all within LMDB's write lock: ``prepare(newest:_:)``, the operations, ``append(_:transaction:waits:_:)``,
/// LMDB's commit, and ``withdraw(_:)`` if that fails.
///
/// - `state` is protected by its mutex. Only the holder of the writer seat changes it.
final class RedoLog: Sendable {
    private struct State {
        /// The newest checkpoint that this process knows.
        var checkpoint: CheckpointRecord
        var tail: RedoTail
        var pin: RedoPin?
        /// The end of the log at the last ``rest(_:)``.
        var restedAt: UInt64?
    }

    /// An entry that was appended, for a commit that may still fail.
    struct Appended {
        fileprivate let before: RedoTail
    }

    /// The outcome of appending a commit.
    enum Outcome {
        case appended(Appended)
        /// The log has no room for them. A checkpoint has to follow the commit.
        case tooLarge
    }

    let limits: RedoLimits
    private let path: String
    private let files: RedoFiles
    private let state: HandoverMutex<State>

    /// Opens the log of a directory.
    init(in directory: String, limits: RedoLimits) throws(LMDBError) {
        guard let files = try RedoFiles(in: directory, isReadOnly: false) else {
            throw RedoFiles.missing(CheckpointFile.name, in: directory)
        }
        do throws(LMDBError) {
            let checkpoint = try files.checkpoint()
            state = HandoverMutex(State(checkpoint: checkpoint, tail: RedoTail(after: checkpoint), pin: nil))
        } catch {
            files.close()
            throw error
        }
        path = directory
        self.limits = limits
        self.files = files
    }

    // MARK: Writing

    /// Makes sure that the log has all commits and that the pages of the checkpoint stay; makes a checkpoint if not, or if it is
    /// time for one. Called by a write transaction that has just begun.
    ///
    /// - Parameter newest: the newest commit.
    func prepare(newest: UInt64, _ environment: LMDBEnvironment) throws(LMDBError) {
        try state.withLock { state throws(LMDBError) in
            let flags = try catchUp(&state, newest)
            let info = try environment.sizes()
            let oldest = try environment.oldestSnapshot() ?? .max
            let pin = state.pin.flatMap { oldest <= state.checkpoint.transaction ? $0.transaction : nil }
            // Another process has cleared the pin's slot, and may use it. An end of the pin would clear it once more.
            if pin == nil { state.pin = nil }
            let situation = RedoSituation(
                // A closed checkpoint promises that no entry follows it.
                pin: state.checkpoint.isClosed ? nil : pin, checkpoint: state.checkpoint.transaction, newest: newest,
                lastLogged: state.tail.transaction,
                logByteCount: state.tail.offset,
                growthByteCount: (info.lastPage - state.checkpoint.lastPage) * info.pageSize,
                isSuspect: !flags.isEmpty)
            switch situation.decision(limits) {
            case .write: return
            case .pin:
                let newer = try RedoPin(environment)
                state.pin?.end()
                state.pin = newer
            case .checkpoint: try makeCheckpoint(&state, newest, flags, environment)
            }
        }
    }

    /// Whether a sync has failed since the last checkpoint, in any process.
    func hasFailedSync() throws(LMDBError) -> Bool { try !files.side.flags().isEmpty }

    /// Whether this process has a pin.
    var hasPin: Bool { state.withLock { $0.pin != nil } }

    /// Appends a commit, and waits until it is on the disk if asked to.
    ///
    /// - Throws: ``LMDBError``. The commit must not be made then. After a failed sync the outcome is unknown.
    func append(
        _ operations: inout RedoOperations, transaction: UInt64, waits: Bool, _ environment: LMDBEnvironment
    ) throws(LMDBError) -> Outcome {
        try state.withLock { state throws(LMDBError) -> Outcome in
            try requirePin(state, environment)
            let tail = state.tail
            let limit = limits.logByteCount + RedoEntry.byteCount(ofOperations: limits.entryByteCount)
            guard !operations.isTooLarge,
                files.log.makeRoom(for: operations.entryByteCount, at: tail.offset, limit: limit)
            else { return .tooLarge }
            let entry = operations.seal(
                RedoEntry(
                    checkpoint: state.checkpoint.number, transaction: transaction,
                    durableByteCount: UInt64(tail.durableByteCount), previous: tail.chain))
            guard files.log.write(operations.bytes, at: tail.offset) else { throw failure("write") }
            if waits, !files.log.sync() {
                let error = failure("fdatasync")
                try files.side.add(.log)
                throw error.withUnknownOutcome()
            }
            state.tail.advance(past: entry)
            if waits { state.tail.durableByteCount = state.tail.offset }
            return .appended(Appended(before: tail))
        }
    }

    /// Takes back an entry whose commit has failed.
    ///
    /// - Returns: false if a crash of the system may bring the commit back.
    func withdraw(_ appended: Appended) -> Bool {
        state.withLock { state in
            state.tail = appended.before
            if files.log.withdraw(at: appended.before.offset) { return true }
            // If that fails too, no checkpoint comes first. The next commit then overwrites the entry.
            try? files.side.add(.log)
            return false
        }
    }

    /// Throws if another process has cleared the slot of this process's pin: pages of the checkpoint may have been used again.
    private func requirePin(_ state: State, _ environment: LMDBEnvironment) throws(LMDBError) {
        let oldest = try environment.oldestSnapshot() ?? .max
        guard oldest <= state.checkpoint.transaction else {
            throw LMDBError(
                .foreignProcessNamespace, operation: "mdb_txn_commit", path: path,
                detail: "another process took this one for dead, and cleared its slot in lock.mdb",
                remedy: "let all processes that use the store share one pid namespace, then run the transaction again")
        }
    }

    private func failure(_ operation: StaticString) -> LMDBError {
        LMDBError(code: SystemCalls.lastCode, operation: "\(operation)", path: files.log.path)
    }

    // MARK: Checkpoints

    /// Takes over a newer checkpoint of another process, and the entries of other processes up to the newest commit.
    private func catchUp(_ state: inout State, _ newest: UInt64) throws(LMDBError) -> CheckpointFile.Flags {
        if try files.side.hasNewer(than: state.checkpoint) {
            let newer = try files.checkpoint()
            try files.side.sync()
            state.checkpoint = newer
            state.tail = RedoTail(after: newer)
        }
        // Only headers are read. In one boot the page cache has all that was written.
        while state.tail.transaction < newest, let entry = files.log.header(at: state.tail.offset),
            state.tail.isFollowed(by: entry, of: state.checkpoint)
        {
            state.tail.advance(past: entry)
        }
        return try files.side.flags()
    }

    /// Syncs the data file and writes its newest commit as the checkpoint. The next entry goes to the beginning of the log.
    ///
    /// - Parameter closes: whether this process goes without a pin from here on.
    private func makeCheckpoint(
        _ state: inout State, _ newest: UInt64, _ flags: CheckpointFile.Flags, closes: Bool = false,
        _ environment: LMDBEnvironment
    ) throws(LMDBError) {
        if flags.contains(.data) { try environment.rewritePages() }
        let code = unsafe Calls.sync(environment.handle.pointer)
        guard code == 0 else {
            try files.side.add(.data)
            throw LMDBError(code: code, operation: "mdb_env_sync", path: path)
        }
        // On the disk are now the pages of the newest commit, and a pin of the last checkpoint keeps those too.
        let pin = closes ? nil : try RedoPin(environment)
        do throws(LMDBError) {
            let isClosed = closes ? try environment.isUnread(except: state.pin) : false
            let record = CheckpointRecord(
                number: state.checkpoint.number + 1, transaction: newest, pageSize: environment.pageSize,
                isClosed: isClosed, metas: try environment.metaPages())
            try files.side.write(record)
            state.checkpoint = record
            state.tail = RedoTail(after: record)
        } catch {
            pin?.end()
            throw error
        }
        state.pin?.end()
        state.pin = pin
        if !flags.isEmpty { try files.side.setFlags([]) }
    }

    /// Makes a checkpoint if this process has written nothing since the last call, and ends the pin, which keeps freed pages from
    /// reuse. The next write takes a new one. The caller has the writer seat.
    func rest(_ environment: LMDBEnvironment) {
        let isIdle = state.withLock { state in
            defer { state.restedAt = state.tail.transaction }
            return state.restedAt == state.tail.transaction
        }
        if isIdle { end(environment) }
    }

    /// Makes a checkpoint, and ends the pin. If another process is writing, that process makes the next checkpoint.
    func end(_ environment: LMDBEnvironment) {
        // Without a pin, this process has written nothing since the last end.
        guard hasPin else { return }
        if environment.writerLock.value?.isHeld != true {
            try? environment.whileHoldingWriterLock { newest throws(LMDBError) in
                try state.withLock { state throws(LMDBError) in
                    let flags = try catchUp(&state, newest)
                    try makeCheckpoint(&state, newest, flags, closes: true, environment)
                }
            }
        }
        state.withLock { state in
            state.pin?.end()
            state.pin = nil
        }
    }

    /// Closes the files.
    func closeFiles() { files.close() }
}
