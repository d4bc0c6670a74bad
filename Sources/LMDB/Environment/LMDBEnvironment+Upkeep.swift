internal import Dispatch
internal import Synchronization

extension LMDBEnvironment {
    /// Frees the slots of readers whose process has died; they keep old pages from reuse. Call it from a timer.
    @discardableResult
    package func clearStaleReaders() throws(LMDBError) -> Int {
        try whileOpen("mdb_reader_check") { () throws(LMDBError) in
            var cleared: Int32 = 0
            let code = unsafe Calls.checkReaders(handle.pointer, cleared: &cleared)
            guard code == 0 else { throw failure(code, "mdb_reader_check") }
            return Int(cleared)
        }
    }

    /// Returns the slots of the reader table that are in use, by all processes.
    package func readers() throws(LMDBError) -> [LMDBReader] {
        try whileOpen("mdb_reader_list", listReaders)
    }

    /// The same for callers that have already entered the gate.
    func listReaders() throws(LMDBError) -> [LMDBReader] {
        var text = ""
        let code = unsafe Calls.listReaders(handle.pointer, into: &text)
        guard code >= 0 else { throw failure(code, "mdb_reader_list") }
        var pins = readerTable?.pins ?? []
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 3, let processID = Int32(words[0]), let threadID = UInt(words[1], radix: 16) else {
                return nil
            }
            let transaction = Int(words[2])
            let pin = LMDBReader(processID: processID, threadID: threadID, transactionID: transaction, isPin: true)
            if let index = pins.firstIndex(of: pin) { return pins.remove(at: index) }
            return LMDBReader(processID: processID, threadID: threadID, transactionID: transaction)
        }
    }

    /// Returns the size of the environment.
    package func info() throws(LMDBError) -> LMDBInfo {
        try whileOpen("mdb_env_info", currentInfo)
    }

    private func currentInfo() throws(LMDBError) -> LMDBInfo {
        var info: LMDBInfo?
        let bytes = unsafe SystemCalls.byteCount(of: Calls.fileDescriptor(of: handle.pointer)) ?? 0
        let code = unsafe Calls.info(handle.pointer, fileBytes: bytes, into: &info)
        guard code == 0, let info else { throw failure(code, "mdb_env_info") }
        return info
    }

    /// Keeps the environment open and its map in place while `body` runs.
    func whileOpen<Result>(
        _ operation: StaticString, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        if isForked { throw forkedChild(operation) }
        let thread = SystemCalls.currentThread
        if case .refused(let refusal) = gate.enterRead(thread, pooled: false) { throw refused(refusal, operation) }
        defer { _ = gate.leaveRead(thread, keeping: nil) }
        return try body()
    }

    // MARK: Growth

    /// Enlarges the map when all transactions of this process have ended; new ones wait in the meantime. Throws `growthBlocked`
    /// if some do not end in time. A size below the current one has no effect, and the map stays within the greatest size of the
    /// store.
    package func grow(to mapSize: Int, waitingAtMost seconds: Double) throws(LMDBError) {
        let limit = dataLimit.load(ordering: .relaxed)
        try resize(waitingAtMost: seconds) { current, _ in max(current, min(mapSize, limit)) }
    }

    /// Called when another process has grown the store past this map. Maps the size that the store needs, and all that the other
    /// process reserved if there is enough address space.
    func adoptForeignGrowth() throws(LMDBError) {
        let limit = dataLimit.load(ordering: .relaxed)
        try resize(waitingAtMost: options.patienceSeconds) { current, inspection in
            guard let inspection else { return current }
            let reserved = min(Int(clamping: inspection.newest.mapSize), limit)
            let needed = inspection.newest.neededByteCount ?? inspection.fileBytes
            if SystemCalls.canMap(byteCount: max(reserved - current, 1)) { return max(current, reserved, needed) }
            return max(current, needed)
        }
    }

    /// Calls `mdb_env_set_mapsize` while no transaction runs: LMDB unmaps before it maps, and does not check for readers.
    private func resize(
        waitingAtMost seconds: Double, _ size: (Int, DataFileInspection?) -> Int
    ) throws(LMDBError) {
        let operation: StaticString = "mdb_env_set_mapsize"
        if isForked { throw forkedChild(operation) }
        let deadline = DispatchTime.now() + seconds
        let obstacle = try gate.exclusively(until: deadline) { () throws(LMDBError) in
            let current = try currentInfo().mapSize
            let inspection = try unsafe DataFileInspection.inspect(
                Calls.fileDescriptor(of: handle.pointer), path: path)
            let wanted = size(current, inspection)
            guard wanted > current else { return }
            // There is no way back after the old map is gone, so check first.
            guard SystemCalls.canMap(byteCount: wanted - current) else {
                throw LMDBError(
                    .addressSpace, operation: "\(operation)", path: path,
                    detail: "the address space has no room for a map of \(wanted) bytes",
                    remedy: "raise the process's limit on address space (ulimit -v)")
            }
            let code = unsafe Calls.setMapSize(handle.pointer, wanted)
            guard code == 0 else {
                gate.markBroken()
                throw failure(code, operation)
            }
        }
        switch obstacle {
        case nil: return
        case .refused(let refusal): throw refused(refusal, operation)
        case .timedOut(let running): throw blocked(operation, running: running, seconds: seconds, .growthBlocked)
        }
    }

    /// Runs the end of a database's drop while no transaction of this process reads. LMDB frees the handle at once, and readers
    /// use it without a lock. Called by the write transaction, which continues to run.
    func withoutReaders(_ operation: StaticString, _ body: () throws(LMDBError) -> Void) throws(LMDBError) {
        let seconds = options.patienceSeconds
        switch try gate.exclusively(until: .now() + seconds, keepingWriter: true, body) {
        case nil: return
        case .refused(let refusal): throw refused(refusal, operation)
        case .timedOut(let running): throw blocked(operation, running: running - 1, seconds: seconds, .busy)
        }
    }
}
