internal import CLMDB
internal import Glibc
internal import Synchronization

/// The greatest size of an environment.
extension LMDBEnvironment {
    /// A key behind all names of databases, for values that are never committed.
    private static let probeKey: [UInt8] = [UInt8](repeating: 0xFF, count: 16)
    /// The header of a page, which a value on a page of its own shares the page with.
    private static let pageHeaderByteCount = 16

    /// Whether the environment has a greatest size.
    package var hasQuota: Bool { quota != nil }

    /// Finds how far the data file may grow. Called by the opening, before any transaction.
    ///
    /// A store that is larger already gets room for deletes if its free pages are too few for them. The deletes free pages, so
    /// the next opening adds no more room.
    func applyQuota() throws(LMDBError) {
        guard let quota else { return }
        let used = try (sizes().lastPage + 1) * pageSize
        guard used > quota.dataByteCount else { return dataLimit.store(quota.dataByteCount, ordering: .relaxed) }
        let free = try freeByteCount()
        let limit = used + max(quota.reserveByteCount - free, 0)
        dataLimit.store(limit, ordering: .relaxed)
        // Without the address space for it, deletes use the free pages.
        try? grow(to: limit, waitingAtMost: options.patienceSeconds)
    }

    private func freeByteCount() throws(LMDBError) -> Int {
        let transaction = try beginRead()
        return try transaction.snapshot.freePageCount() * pageSize
    }

    /// Throws if a transaction that is about to commit leaves less than the reserve, and may not use it.
    ///
    /// LMDB does not say how many pages a transaction can still allocate, so a child allocates them and is aborted. This happens
    /// only near the limit, and once for several commits.
    func requireReserve(
        _ transaction: OpaquePointer, _ lineage: WriteLineage, _ context: TransactionContext
    ) throws(LMDBError) {
        guard let quota, lineage.pageBound > 0 else { return }
        let info = try sizes()
        let number = unsafe Calls.identifier(of: transaction)
        let limit = dataLimit.load(ordering: .relaxed)
        let reserve = quota.reserveByteCount / pageSize
        // The last page of the map is never used.
        let unused = min(limit, info.mapSize) / pageSize - info.lastPage - 2
        if unused - lineage.pageBound >= reserve { return }
        if knownRoom.withLock({ $0.take(lineage.pageBound, in: number) }) || lineage.usesReserve { return }
        let found = unsafe try pageCount(atMost: 2 * reserve, in: transaction, context)
        guard found >= reserve else { throw writeFailure(MDB_MAP_FULL, "mdb_txn_commit") }
        knownRoom.withLock { $0 = KnownRoom(after: number, pageCount: found - reserve) }
    }

    /// Returns how many pages a transaction can allocate, up to a number.
    private func pageCount(
        atMost limit: Int, in parent: OpaquePointer, _ context: TransactionContext
    ) throws(LMDBError) -> Int {
        try pageChecks.require(.main, .last, in: context, "mdb_put")
        var child: OpaquePointer?
        var code = unsafe beginChild(of: parent, into: &child)
        guard code == 0, let child = unsafe child else { throw context.failure(code, "mdb_txn_begin") }
        defer { unsafe Calls.abort(child) }
        var key = Self.probeKey
        for count in 0..<limit {
            for index in 0..<4 { key[key.count - 1 - index] = UInt8(truncatingIfNeeded: count >> (8 * index)) }
            code = unsafe Calls.reserve(
                child, .main, key.span.bytes, byteCount: pageSize - Self.pageHeaderByteCount)
            // The limit of pages in one transaction says nothing about the room in the file.
            if code == MDB_TXN_FULL { return limit }
            if code == MDB_MAP_FULL { return count }
            guard code == 0 else { throw failure(code, "mdb_put") }
        }
        return limit
    }

    func storeFull(_ quota: Quota, _ info: LMDBInfo, _ operation: StaticString, _ code: Int32) -> LMDBError {
        let used = (info.lastPage + 1) * pageSize
        var detail =
            "the store is full: its limit of \(quota.byteCount) bytes leaves \(dataLimit.load(ordering: .relaxed)) for data.mdb, "
            + "which has \(used), and too few of its pages are free"
        if let oldestReader { detail += "; \(oldestReader)" }
        return LMDBError(
            .storeFull, operation: "\(operation)", path: path, systemCode: code, detail: detail,
            remedy: "delete records, or open the store with a larger maximumByteCount")
    }

    // MARK: Making room

    /// Makes the pages usable that only dead readers or pins keep. It clears the slots of dead readers, and makes a checkpoint of
    /// the redo log, which moves the pins of all processes to the newest commit.
    package func releasePages() throws(LMDBError) {
        try clearStaleReaders()
        guard let redo else { return }
        try takeWriterSeat("mdb_env_sync", thread: SystemCalls.currentThreadIdentity)
        defer { gate.leaveWrite() }
        try redo.makeCheckpoint(self)
        armRest()
    }
}

/// How many pages beyond the reserve are certainly left after the newest commit of this process.
struct KnownRoom: Equatable {
    private var transaction = -1
    private var pageCount = 0

    init() {}

    init(after transaction: Int, pageCount: Int) {
        self.transaction = transaction
        self.pageCount = pageCount
    }

    /// Takes pages for a commit.
    ///
    /// - Returns: false if the number of pages is not known, because another process has committed since, or is too small.
    mutating func take(_ count: Int, in number: Int) -> Bool {
        guard transaction >= 0, number == transaction || number == transaction + 1, count <= pageCount else {
            transaction = -1
            return false
        }
        self = KnownRoom(after: number, pageCount: pageCount - count)
        return true
    }
}
