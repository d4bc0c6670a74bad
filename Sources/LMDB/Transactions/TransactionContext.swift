/// A running (or pooled) LMDB transaction: the state that its Swift value, its snapshots and its cursors share.
///
/// A class, so that a snapshot stays valid while its transaction is exchanged or ended, and so that beginning a pooled read
/// transaction allocates nothing.
///
/// `@unchecked Sendable`: only one transaction at a time uses a context. It moves between threads only through the gate's lock,
/// and the transactions that own it are not Sendable.
@safe
final class TransactionContext: @unchecked Sendable {
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
    /// The trees that a read transaction searches without LMDB.
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
        trees.begin(in: unsafe environment.takeUnretainedValue())
        return unsafe Calls.renew(handle)
    }

    /// Ends a read transaction but keeps its reader slot.
    func reset() {
        endRetired()
        overlay = nil
        if let handle = unsafe handle { unsafe Calls.reset(handle) }
    }

    /// Returns the tree of a database for direct searches; nil if LMDB has to search.
    ///
    /// - Parameter lookups: the number of lookups that follow.
    @inline(__always)
    func tree(of database: LMDBDatabase, lookups: Int) -> MappedTree? {
        guard writing == nil, !CallFaults.isAnyPlanned else { return nil }
        return trees.tree(of: database, lookups: lookups, in: self)
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

    init(thread: UInt) {
        self.thread = thread
    }

    /// Ends a level. The databases that it opened belong to its parent after a commit, and are closed after an abort.
    func end(level: Int, isCommitted: Bool) {
        if !isCommitted { opened.removeAll { $0.level >= level } }
        for index in opened.indices where opened[index].level >= level { opened[index].level = level - 1 }
    }
}
