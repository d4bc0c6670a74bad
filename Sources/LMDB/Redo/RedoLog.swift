internal import Dispatch
internal import Glibc

/// The redo log of an environment, as this process uses it: one append and one sync make a commit durable, and LMDB's own file is
/// synced at checkpoints only.
///
/// The log contains the commits since the last checkpoint. A store that no process has closed is put back to the checkpoint, and
/// the log is run again (``RedoRecovery``). The pages of the checkpoint are still there, because each process that writes has a
/// pin on them (``RedoPin``).
///
/// Cycle of a write, all within LMDB's write lock: ``prepare(newest:_:)``, the operations, ``append(_:transaction:waits:_:)``,
/// LMDB's commit, and ``withdraw(_:isSynced:)`` if that fails.
///
/// Cycle of a checkpoint: a write that finds one due begins it, and goes on. Another thread syncs the data file. The next write
/// of this process after that writes the record. If the log is full before, or pins keep too many pages, a write makes the
/// checkpoint itself.
///
/// - `state` is protected by its mutex. Only the holder of the writer seat changes it.
/// - `sync` is protected by its mutex. The thread that syncs and the holder of the writer seat change it.
final class RedoLog: Sendable {
    private struct State {
        /// The newest checkpoint that this process knows.
        var checkpoint: CheckpointRecord
        /// Whether it was read within LMDB's write lock, and synced. Before, another process may still take it back, or may have
        /// been killed before its sync.
        var isConfirmed = false
        var tail: RedoTail
        var pin: RedoPin?
        /// The end of the log at the last ``isResting()``.
        var restedAt: UInt64?
        /// The length of the log's file, at least.
        var capacity = 0
        var kept = KeptPages()
        /// The checkpoint that another process has begun, and how far this process had come when it saw that first.
        var elsewhere: (begun: CheckpointIdentity, address: UInt64, keptCount: Int)?
        /// How many checkpoints a write of this process had to wait for, because the log was full or pins kept too many pages.
        var waitCount = 0
    }

    /// The pages that were freed since a checkpoint, as far as they were counted.
    private struct KeptPages {
        var checkpoint: UInt64 = 0
        var transaction: UInt64 = 0
        var count = 0
    }

    /// The checkpoint that another thread is making.
    private enum Sync {
        case none
        case running(DispatchSemaphore)
        case finished(CheckpointRecord)
        case closed
    }

    /// The outcome of appending a commit.
    enum Appended {
        /// The entry makes the commit durable.
        case logged(before: RedoTail, offset: Int)
        /// The commit is too large for the log. LMDB has to sync it.
        case inDataFile(before: RedoTail, offset: Int)
    }

    let limits: RedoLimits
    private let path: String
    private let files: RedoFiles
    /// A descriptor of the data file that nothing else syncs. Linux reports a failed sync once for each descriptor, so this one
    /// tells whether any sync has failed since the log was opened.
    private let witness: Int32
    private let state: HandoverMutex<State>
    private let sync = HandoverMutex(Sync.none)

    /// Opens the log of a directory.
    init(in directory: String, limits: RedoLimits) throws(LMDBError) {
        let files = try RedoFiles(in: directory, isReadOnly: false)
        do throws(LMDBError) {
            guard let checkpoint = try files.side.newest(),
                let data = try StoreFile.open(directory + "/data.mdb", isReadOnly: true)
            else { throw RedoFiles.changed(directory) }
            witness = data
            state = HandoverMutex(State(checkpoint: checkpoint, tail: checkpoint.tail))
        } catch {
            files.close()
            throw error
        }
        path = directory
        self.limits = limits
        self.files = files
    }

    /// Closes the files, when no other thread syncs the data file any more.
    func closeFiles() {
        waitForSync(thenCloses: true)
        files.close()
        SystemCalls.close(witness)
    }

    /// Waits until no other thread syncs the data file.
    private func waitForSync(thenCloses: Bool) {
        while true {
            let running = sync.withLock { sync -> DispatchSemaphore? in
                if case .running(let end) = sync { return end }
                if thenCloses { sync = .closed }
                return nil
            }
            guard let running else { return }
            running.wait()
            running.signal()
        }
    }

    /// Runs a sync of the data file while no other thread of this process syncs it. Linux reports a failed sync once for each
    /// descriptor, so one of two threads would take lost pages for written.
    private func syncingAlone<Result>(_ body: () throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        let end = DispatchSemaphore(value: 0)
        var previous: Sync?
        while previous == nil {
            waitForSync(thenCloses: false)
            previous = sync.withLock { sync -> Sync? in
                if case .running = sync { return nil }
                defer { sync = .running(end) }
                return sync
            }
        }
        defer {
            sync.withLock { $0 = previous ?? .none }
            end.signal()
        }
        return try body()
    }

    /// Makes a commit that LMDB syncs itself. It needs all pages of the commits before, which a failed sync may have lost.
    ///
    /// - Parameter body: makes the commit; returns LMDB's code.
    /// - Returns: the code; nil if the commit must not be made.
    func commitLarge(_ body: () -> Int32) -> Int32? {
        try? syncingAlone { () throws(LMDBError) -> Int32? in
            try files.side.flags().contains(.data) ? nil : body()
        }
    }

    /// Syncs the data file while no writer waits for it, so that the sync of a checkpoint has little to write. Does nothing if
    /// another thread syncs it, or if the log is closed.
    func syncAhead(_ file: some LoggedFile) {
        let end = DispatchSemaphore(value: 0)
        let isFree = sync.withLock { sync -> Bool in
            guard case .none = sync else { return false }
            sync = .running(end)
            return true
        }
        guard isFree else { return }
        if file.sync() != 0 { try? files.side.add(.data) }
        sync.withLock { $0 = .none }
        end.signal()
    }

    // MARK: Writing

    /// Makes sure that the log has all commits and no other entry, and that the pages of the checkpoint stay. Makes a checkpoint
    /// if not, and begins or ends one if it is time. Called by a write transaction that has just begun.
    ///
    /// - Parameter newest: the newest commit.
    func prepare(newest: UInt64, _ file: some LoggedFile) throws(LMDBError) {
        try state.withLock { (state: inout State) throws(LMDBError) in
            try catchUp(&state, newest)
            try endCheckpoint(&state, file)
            if state.pin?.holds == false { state.pin = nil }
            while true {
                switch try situation(&state, newest, file).decision(limits) {
                case .write: return
                case .pin: state.pin = try file.pin(on: state.checkpoint.transaction)
                case .beginCheckpoint: return try beginCheckpoint(&state, file)
                case .checkpoint(let reason):
                    if reason == .logIsFull || reason == .keepsPages { state.waitCount += 1 }
                    return try makeCheckpoint(&state, newest, file)
                }
            }
        }
    }

    private func situation(
        _ state: inout State, _ newest: UInt64, _ file: some LoggedFile
    ) throws(LMDBError) -> RedoSituation {
        let checkpoint = state.checkpoint
        let hasPin = state.pin != nil
        let (start, tail) = (checkpoint.tail, state.tail)
        if state.capacity == 0 { state.capacity = files.log.byteCount ?? 0 }
        let room = RedoEntry.byteCount(ofOperations: limits.entryByteCount)
        let hasRoom =
            tail.place(of: room, after: start, capacity: state.capacity, limit: limits.maximumByteCount) != nil
        let isChecking = sync.withLock { sync -> Bool in if case .none = sync { false } else { true } }
        let oldest = hasPin ? checkpoint.transaction : try file.oldestSnapshot() ?? .max
        let flags = try files.side.flags()
        try requirePages(flags, checkpoint)
        return RedoSituation(
            hasPin: hasPin, isKept: oldest <= checkpoint.transaction,
            isClosed: checkpoint.isClosed, newest: newest, lastLogged: tail.transaction,
            isInDataFile: tail.isInDataFile, logByteCount: Int(tail.address - start.address), hasRoom: hasRoom,
            keptByteCount: hasPin ? try keptByteCount(&state, newest, file) : 0,
            fileByteCount: try file.usedByteCount(), isSuspect: !flags.isEmpty,
            isChecking: isChecking,
            isCheckingElsewhere: isChecking ? false : try isMadeElsewhere(&state, file))
    }

    /// Returns whether another process is making a checkpoint. If it does not end for a quarter of the log, or of the pages that
    /// pins may keep, that process was stopped or killed.
    private func isMadeElsewhere(_ state: inout State, _ file: some LoggedFile) throws(LMDBError) -> Bool {
        // Only near the limit of a checkpoint does the answer matter.
        guard
            Int(state.tail.address - state.checkpoint.tail.address) >= limits.logByteCount / 2
                || state.kept.count * file.pageSize >= limits.keptByteCount
        else { return false }
        guard let stamp = try file.readStamp().stamp, stamp.begun != stamp.done else {
            state.elsewhere = nil
            return false
        }
        let now = (begun: stamp.begun, address: state.tail.address, keptCount: state.kept.count)
        guard let first = state.elsewhere, first.begun == now.begun else {
            state.elsewhere = now
            return true
        }
        let kept = limits.keptByteCount(ofFile: try file.usedByteCount())
        return Int(truncatingIfNeeded: now.address &- first.address) < limits.logByteCount / 4
            && (now.keptCount - first.keptCount) * file.pageSize < kept / 2
    }

    /// Returns the bytes of the pages that were freed since the checkpoint.
    private func keptByteCount(
        _ state: inout State, _ newest: UInt64, _ file: some LoggedFile
    ) throws(LMDBError) -> Int {
        if state.kept.checkpoint != state.checkpoint.number {
            let transaction = state.checkpoint.transaction
            state.kept = KeptPages(checkpoint: state.checkpoint.number, transaction: transaction)
        }
        if state.kept.transaction < newest {
            state.kept.count += try file.pageCount(freedAfter: state.kept.transaction)
            state.kept.transaction = newest
        }
        return state.kept.count * file.pageSize
    }

    /// Whether a sync has failed since the last checkpoint, in any process.
    func hasFailedSync() throws(LMDBError) -> Bool { try !files.side.flags().isEmpty }

    /// How many checkpoints a write of this process had to wait for.
    var waitCount: Int { state.withLock { $0.waitCount } }

    /// Appends a commit, and waits until it is on the disk if asked to.
    ///
    /// - Throws: ``LMDBError``. The commit must not be made then. After a failed sync the outcome is unknown.
    func append(
        _ operations: inout RedoOperations, transaction: UInt64, waits: Bool, _ file: some LoggedFile
    ) throws(LMDBError) -> Appended {
        try state.withLock { state throws(LMDBError) -> Appended in
            try requirePin(state)
            let tail = state.tail
            if !operations.isTooLarge, let offset = place(of: operations.entryByteCount, &state) {
                // Later relaxed commits may then follow without a sync.
                let announces = !waits || tail.relaxedSince == state.checkpoint.number
                let entry = operations.seal(
                    RedoEntry(
                        transaction: transaction, after: tail,
                        relaxedSince: announces ? waits ? tail.relaxedSince : state.checkpoint.number : 0),
                    state.checkpoint.secret)
                try write(operations.bytes, entry, at: offset, syncs: waits || tail.relaxedSince == 0, &state)
                return .logged(before: tail, offset: offset)
            }
            // A full disk leaves no room either. A checkpoint makes some.
            if place(of: RedoEntry.headerByteCount, &state) == nil {
                try makeCheckpoint(&state, transaction - 1, file)
            }
            guard let offset = place(of: RedoEntry.headerByteCount, &state) else { throw failure("write") }
            let before = state.tail
            var bytes = [UInt8](repeating: 0, count: RedoEntry.headerByteCount)
            let entry = RedoEntry(
                transaction: transaction, after: before, relaxedSince: before.relaxedSince, isInDataFile: true
            )
            .sealing(&bytes, state.checkpoint.secret)
            try write(bytes, entry, at: offset, syncs: true, &state)
            return .inDataFile(before: before, offset: offset)
        }
    }

    /// Returns where an entry goes; nil if there is no room.
    private func place(of byteCount: Int, _ state: inout State) -> Int? {
        let (start, limit) = (state.checkpoint.tail, limits.maximumByteCount)
        let place = state.tail.place(of: byteCount, after: start, capacity: state.capacity, limit: limit)
        guard let offset = place, offset + byteCount > state.capacity else { return place }
        guard let capacity = files.log.makeRoom(for: offset + byteCount, limit: limit) else {
            // The disk is full.
            return state.tail.place(of: byteCount, after: start, capacity: state.capacity, limit: 0)
        }
        state.capacity = capacity
        return offset
    }

    private func write(
        _ bytes: [UInt8], _ entry: RedoEntry, at offset: Int, syncs: Bool, _ state: inout State
    ) throws(LMDBError) {
        guard files.log.write(bytes, at: offset) else { throw failure("write") }
        if syncs, !files.log.sync() {
            let error = failure("fdatasync")
            try files.side.add(.log)
            throw error.withUnknownOutcome()
        }
        state.tail.advance(past: entry, at: offset)
        if syncs { state.tail.durableAddress = state.tail.address }
    }

    /// Takes back the entry of a commit that LMDB has failed.
    ///
    /// - Parameter isSynced: whether LMDB's own syncs of the commit, if it made any, have certainly not failed.
    /// - Returns: false if a crash of the system may bring a failed commit back.
    func withdraw(_ appended: Appended, isSynced: Bool) -> Bool {
        state.withLock { state in
            let (before, offset) =
                switch appended {
                case .logged(let before, let offset), .inDataFile(let before, let offset): (before, offset)
                }
            state.tail = before
            // The error may be that of a write, as on a full disk, which loses no page of another commit.
            if case .inDataFile = appended, !isSynced, !StoreFile.syncData(witness, path: path + "/data.mdb") {
                try? files.side.add(.data)
            }
            if files.log.withdraw(at: offset) { return true }
            // If that fails too, no checkpoint comes first. The next commit then overwrites the entry.
            try? files.side.add(.log)
            return false
        }
    }

    /// Throws if another process has cleared the slot of this process's pin: pages of the checkpoint may have been used again.
    private func requirePin(_ state: State) throws(LMDBError) {
        guard state.pin?.holds != true else { return }
        throw LMDBError(
            .foreignProcessNamespace, operation: "mdb_txn_commit", path: path,
            detail: "another process took this one for dead, and cleared its slot in lock.mdb",
            remedy: "let all processes that use the store share one pid namespace, then run the transaction again")
    }

    /// Throws if a sync of the data file has failed. The pages that it was to write may be gone from memory, so no later sync can
    /// make up for it. The disk has the checkpoint and the log, from which the next opening recovers all commits. A closed
    /// checkpoint needs no page of the commits after it.
    private func requirePages(_ flags: CheckpointFile.Flags, _ checkpoint: CheckpointRecord) throws(LMDBError) {
        guard flags.contains(.data), !checkpoint.isClosed else { return }
        throw .lostPages("mdb_txn_begin", path)
    }

    private func failure(_ operation: StaticString) -> LMDBError {
        LMDBError(code: SystemCalls.lastCode, operation: "\(operation)", path: files.log.path)
    }

    /// Takes over a newer checkpoint of another process, and the entries of other processes up to the newest commit. Takes back
    /// the entry of a commit that was not made, because its process was killed or could not write all of it.
    private func catchUp(_ state: inout State, _ newest: UInt64) throws(LMDBError) {
        let hasNewer = try files.side.hasNewer(than: state.checkpoint)
        if hasNewer || !state.isConfirmed {
            guard let newer = try files.side.newest() else { throw RedoFiles.changed(path) }
            try files.side.confirm(newer)
            state.checkpoint = newer
            state.tail = newer.tail
            state.isConfirmed = true
        }
        let secret = state.checkpoint.secret
        while let (entry, offset) = try files.log.next(after: state.tail, secret) {
            guard entry.transaction <= newest else {
                var tail = state.tail
                tail.advance(past: entry, at: offset)
                guard try files.log.next(after: tail, secret) == nil else { throw missingCommits() }
                guard files.log.withdraw(at: offset) else {
                    let error = failure("write")
                    try files.side.add(.log)
                    throw error
                }
                return
            }
            state.tail.advance(past: entry, at: offset)
        }
    }

    /// A killed process leaves one entry without a commit. More of them are acknowledged commits, which the data file has lost in
    /// a crash: a program that knows no log opened it before this one could recover it.
    private func missingCommits() -> LMDBError {
        LMDBError(
            .recoveryNeeded, operation: "mdb_txn_begin", path: path,
            detail: "redo.log has commits that data.mdb has lost in a crash, and another program has the store open",
            remedy: "close the store in all programs, then open it again")
    }

    // MARK: Checkpoints

    /// Begins a checkpoint of the newest commit: another thread syncs the data file.
    private func beginCheckpoint(_ state: inout State, _ file: some LoggedFile) throws(LMDBError) {
        let old = state.checkpoint
        let record = CheckpointRecord(
            number: old.number + 1, secret: old.secret, pageSize: file.pageSize, isClosed: false, tail: state.tail,
            meta: try file.newestMeta())
        try file.write(DataFileStamp(isOpen: true, done: old.identity, begun: record.identity))
        let end = DispatchSemaphore(value: 0)
        sync.withLock { $0 = .running(end) }
        do throws(LMDBError) {
            try SystemThread.start("store-sync", for: path) { [self] in
                let code = file.sync()
                if code != 0 { try? files.side.add(.data) }
                sync.withLock { $0 = code == 0 ? .finished(record) : .none }
                end.signal()
            }
        } catch {
            // Without another thread, this one makes the checkpoint.
            sync.withLock { $0 = .none }
            try makeCheckpoint(&state, state.tail.transaction, file)
        }
    }

    /// Writes the record of a checkpoint whose sync has ended. If another process has made a checkpoint meanwhile, or has begun
    /// one, that one is newer.
    private func endCheckpoint(_ state: inout State, _ file: some LoggedFile) throws(LMDBError) {
        let record = sync.withLock { sync -> CheckpointRecord? in
            guard case .finished(let record) = sync else { return nil }
            sync = .none
            return record
        }
        guard let record, record.number == state.checkpoint.number + 1,
            try file.readStamp().stamp?.begun == record.identity
        else { return }
        // Linux reports a failed sync once for each descriptor, so another thread may have got the error.
        guard try !files.side.flags().contains(.data) else { return }
        try files.side.write(record)
        state.checkpoint = record
        try publish(record, file)
    }

    /// Lets the data file and the pins follow a record that is on the disk.
    private func publish(_ record: CheckpointRecord, _ file: some LoggedFile) throws(LMDBError) {
        try file.write(DataFileStamp(isOpen: true, done: record.identity, begun: record.identity))
        file.movePins(to: record.transaction)
    }

    /// Makes a checkpoint of the newest commit, which frees all pages that only pins keep. The caller has the writer seat.
    func makeCheckpoint(_ file: some LoggedFile) throws(LMDBError) {
        try file.whileHoldingWriterLock { newest throws(LMDBError) in
            try state.withLock { state throws(LMDBError) in
                try catchUp(&state, newest)
                try makeCheckpoint(&state, newest, file)
            }
        }
    }

    /// Syncs the data file and writes its newest commit as the checkpoint. The next entry goes to the beginning of the log.
    ///
    /// - Parameter closes: whether the log is closed. The next writer then makes another checkpoint first.
    private func makeCheckpoint(
        _ state: inout State, _ newest: UInt64, closes: Bool = false, _ file: some LoggedFile
    ) throws(LMDBError) {
        let record = CheckpointRecord(
            number: state.checkpoint.number + 1, secret: .random(), pageSize: file.pageSize, isClosed: closes,
            tail: .beginning(after: newest), meta: try file.newestMeta())
        let flagsBefore = try files.side.flags()
        try requirePages(flagsBefore, state.checkpoint)
        // The disk may have a record that was taken back in memory only. The log that now begins does not belong to it.
        if flagsBefore.contains(.log) { try files.side.confirm(state.checkpoint) }
        if !closes, !files.log.begin(record.secret, after: state.checkpoint.secret) {
            let error = failure("write")
            try files.side.add(.log)
            throw error
        }
        try file.write(DataFileStamp(isOpen: true, done: state.checkpoint.identity, begun: record.identity))
        let flags = try syncingAlone { () throws(LMDBError) in
            let flags = try files.side.flags()
            try requirePages(flags, state.checkpoint)
            let code = file.sync()
            guard code == 0 else {
                try files.side.add(.data)
                throw LMDBError(code: code, operation: "mdb_env_sync", path: path)
            }
            return flags
        }
        // The name of a side file whose maker was killed may not be on the disk yet.
        if state.checkpoint.number == 1, !StoreFile.syncDirectory(path) {
            throw LMDBError(code: SystemCalls.lastCode, operation: "fsync", path: path)
        }
        // On the disk are now the pages of the newest commit. The pins of the last checkpoint keep those too.
        if !closes, state.pin == nil { state.pin = try file.pin(on: newest) }
        try files.side.write(record)
        state.checkpoint = record
        state.tail = record.tail
        if !flags.isEmpty { try files.side.clearFlags() }
        try publish(record, file)
        guard closes else { return }
        // Until the stamp is on the disk, the closed record alone says that the data file needs no log.
        try file.write(DataFileStamp(isOpen: false, done: record.identity, begun: record.identity))
        _ = file.sync()
    }

    // MARK: Rest

    /// Whether this process has a pin.
    var hasPin: Bool { state.withLock { $0.pin != nil } }

    /// Returns whether this process has a pin, and has written nothing since the last call.
    func isResting() -> Bool {
        state.withLock { state in
            defer { state.restedAt = state.tail.transaction }
            return state.pin != nil && state.restedAt == state.tail.transaction
        }
    }

    /// Ends the pin, which keeps freed pages from reuse. The next write takes a new one. The last process that had one closes the
    /// log. The caller has the writer seat, or the environment is being closed.
    func end(_ file: some LoggedFile) {
        waitForSync(thenCloses: false)
        let pin = state.withLock { state in
            defer { state.pin = nil }
            return state.pin
        }
        // Without a pin, this process has written nothing since the last end.
        guard let pin else { return }
        pin.end()
        guard !file.isPinnedElsewhere else { return }
        syncAhead(file)
        try? file.whileHoldingFreeWriterLock { newest throws(LMDBError) in
            try state.withLock { state throws(LMDBError) in
                try catchUp(&state, newest)
                guard !state.checkpoint.isClosed, !file.isPinnedElsewhere else { return }
                try makeCheckpoint(&state, newest, closes: true, file)
            }
        }
    }
}
