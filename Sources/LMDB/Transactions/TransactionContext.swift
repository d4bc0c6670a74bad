internal import CLMDB

/// A running (or pooled) LMDB transaction: the state that its Swift value, its snapshots and its cursors share.
///
/// A class, so that a snapshot stays valid while its transaction is exchanged or ended, and so that beginning a pooled read
/// transaction allocates nothing.
///
/// `@unchecked Sendable`: only one transaction at a time uses a context. It moves between threads only through the gate's lock,
/// and the transactions that own it are not Sendable.
@safe
final class TransactionContext: @unchecked Sendable {
    /// How often a snapshot is taken again because commits overwrote its meta page. Each takes less than a commit.
    private static let maximumAttempts = 64

    /// The environment outlives every transaction: the Swift value of each holds a strong reference.
    let environment: Unmanaged<LMDBEnvironment>
    /// Nil after the transaction has ended.
    var handle: OpaquePointer?
    /// The lineage of write transactions it belongs to; nil for a read transaction.
    let writing: WriteLineage?
    /// The thread on which the read transaction began.
    var readingThread: UInt = 0
    /// Whether LMDB has failed the transaction. It can then only be aborted.
    var hasFailed = false
    /// The overlay of its snapshots, and of the cursors opened from now on.
    var overlay: LMDBOverlay?
    /// The pages of a read transaction's snapshot.
    private(set) var pages = SnapshotPages()
    /// Keeps the pages in memory.
    private var map: FileMap?
    /// The trees of a read transaction that were looked up.
    private var trees = MappedTrees()
    /// Earlier transactions of this context on the same commit; bytes and cursors may still belong to them.
    private var retired: [OpaquePointer] = unsafe []

    init(environment: LMDBEnvironment, handle: OpaquePointer, writing: WriteLineage?) {
        unsafe self.environment = Unmanaged.passUnretained(environment)
        unsafe self.handle = handle
        self.writing = writing
    }

    /// Moves a reset read transaction to the newest commit.
    func renew() -> Int32 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe Calls.renew(handle)
    }

    /// Ends a read transaction but keeps its reader slot.
    func reset() {
        endRetired()
        overlay = nil
        if let handle = unsafe handle { unsafe Calls.reset(handle) }
    }

    /// Looks up the pages of the snapshot.
    ///
    /// - Returns: 0, or the code of a failed renewal.
    func findPages() throws(LMDBError) -> Int32 {
        let environment = unsafe environment.takeUnretainedValue()
        var isSettled = false
        for _ in 0..<Self.maximumAttempts {
            let number = unsafe Calls.identifier(of: handle)
            // The same commit as that of the transaction before.
            if pages.transactionID == number { return 0 }
            switch try environment.pages(of: number, isSettled: isSettled, in: &map) {
            case .found(let found):
                pages = found
                return 0
            case .unsettled:
                guard let handle = unsafe handle else { return 0 }
                unsafe Calls.reset(handle)
                let code = unsafe Calls.renew(handle)
                if code != 0 { return code }
                // If the newest commit is still the same, the commit after the next one has not begun.
                isSettled = unsafe Calls.identifier(of: handle) == number
            }
        }
        throw environment.damagedMeta("mdb_txn_begin")
    }

    /// Returns the tree of a database, in a read transaction.
    @inline(__always)
    func tree(of database: LMDBDatabase) throws(LMDBError) -> MappedTree {
        try trees.tree(of: database, in: self)
    }

    /// Returns the tree of a database for a joint search; nil if keys have to be looked up one by one.
    func treeForJointSearch(of database: LMDBDatabase) -> MappedTree? {
        guard writing == nil, unsafe !CallFaults.isPlanned(for: handle) else { return nil }
        return try? tree(of: database)
    }

    /// Returns the value under a key, in place; nil if there is none.
    @inline(__always)
    func value(_ database: LMDBDatabase, _ key: UnsafeRawBufferPointer) throws(LMDBError) -> UnsafeRawBufferPointer? {
        guard writing == nil else { return unsafe try valueFromLMDB(database, key) }
        try requireNoFault(.get, "mdb_get")
        switch try unsafe tree(of: database).find(key) {
        case .found(let value): return unsafe value
        case .missing: return nil
        case .damage(let page): throw unsafe environment.takeUnretainedValue().damaged(page, "mdb_get")
        }
    }

    @inline(never)
    private func valueFromLMDB(
        _ database: LMDBDatabase, _ key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        let environment = unsafe environment.takeUnretainedValue()
        try unsafe environment.pageChecks.require(database, .key(key), in: self, "mdb_get")
        var found = unsafe MDB_val()
        let code = unsafe Calls.get(handle, database, RawSpan(_unsafeBytes: key), into: &found)
        if code == MDB_NOTFOUND { return nil }
        guard code == 0 else { throw failure(code, "mdb_get") }
        return unsafe UnsafeRawBufferPointer(found)
    }

    /// Returns the size of a database.
    func statistics(of database: LMDBDatabase) throws(LMDBError) -> LMDBStatistics {
        guard writing == nil else {
            var statistics: LMDBStatistics?
            let code = unsafe Calls.statistics(handle, database, into: &statistics)
            guard code == 0, let statistics else { throw failure(code, "mdb_stat") }
            guard statistics.isPossible else {
                throw unsafe environment.takeUnretainedValue().damaged(nil, "mdb_stat")
            }
            return statistics
        }
        try requireNoFault(.statistics, "mdb_stat")
        let tree = try tree(of: database)
        return LMDBStatistics(
            pageSize: tree.pageSize, depth: tree.depth, branchPages: tree.record.branchPages,
            leafPages: tree.record.leafPages, overflowPages: tree.record.overflowPages, entries: tree.record.entries)
    }

    /// Throws if a test has planned that a call of this kind fails.
    @inline(__always)
    func requireNoFault(_ kind: CallKind, _ operation: StaticString) throws(LMDBError) {
        guard CallFaults.isAnyPlanned, let fault = unsafe CallFaults.fault(kind, transaction: handle) else { return }
        throw failure(fault.code, operation)
    }

    /// Ends the transaction and aborts its changes.
    func end() {
        endRetired()
        if let handle = unsafe handle { unsafe Calls.abort(handle) }
        unsafe handle = nil
    }

    /// Continues with another transaction on the same commit. The earlier one stays until this context ends.
    func exchange(_ newer: OpaquePointer) {
        if let older = unsafe handle { unsafe retired.append(older) }
        unsafe handle = newer
    }

    private func endRetired() {
        while let transaction = unsafe retired.popLast() { unsafe Calls.abort(transaction) }
    }
}

/// A write transaction, its children, and the thread to which they are pinned.
///
/// Only that thread uses it; each operation checks this first.
final class WriteLineage {
    let thread: UInt
    /// The outermost first. Only the last may be used; ending one ends those after it.
    var levels: [TransactionContext] = []
    /// Databases opened by these transactions. The environment receives them when the outermost commits.
    var opened: [(name: String, database: LMDBDatabase, level: Int)] = []
    /// The operations for the redo log; nil without one.
    var operations: RedoOperations?
    /// Whether the commit waits until it is on the disk.
    var waits = true
    /// Whether the commit may use the reserve of a store with a greatest size.
    var usesReserve = false
    /// At least the number of pages that the operations have allocated.
    private(set) var pageBound = 0
    /// More pages than an operation on one entry allocates: the path to it twice, for copies and splits.
    private static let pagesOfOperation = 16
    private static let smallestPageShift = 9
    /// The operations at the begin of each child, the outermost first.
    private var marks: [RedoOperations.Mark] = []

    init(thread: UInt) {
        self.thread = thread
    }

    /// Notes that a child begins.
    func beginLevel() {
        if let operations { marks.append(operations.mark) }
    }

    /// Notes an operation for the redo log.
    @inline(__always)
    func note(
        _ kind: RedoOperations.Kind, _ database: LMDBDatabase, key: RawSpan = RawSpan(), value: RawSpan = RawSpan(),
        in environment: LMDBEnvironment
    ) {
        pageBound &+= Self.pagesOfOperation &+ value.byteCount >> Self.smallestPageShift
        guard operations != nil else { return }
        operations?.append(kind, database, key: key, value: value) { name(of: database, in: environment) }
    }

    private func name(of database: LMDBDatabase, in environment: LMDBEnvironment) -> [UInt8] {
        if let opened = opened.last(where: { $0.database == database }) { return Array(opened.name.utf8) }
        return environment.databases.withLock { $0.name(of: database) } ?? []
    }

    /// Ends a level. The databases that it opened belong to its parent after a commit, and are closed after an abort.
    func end(level: Int, isCommitted: Bool) {
        if !isCommitted { opened.removeAll { $0.level >= level } }
        if level > 0, marks.count >= level {
            if !isCommitted { operations?.undo(to: marks[level - 1]) }
            marks.removeSubrange((level - 1)...)
        }
        for index in opened.indices where opened[index].level >= level { opened[index].level = level - 1 }
    }
}
