/// A running (or pooled) LMDB transaction: what its Swift face, its snapshots and its cursors share.
///
/// A class so that a snapshot stays valid while the transaction beneath it is exchanged or ended, and so that beginning
/// a pooled read transaction allocates nothing.
///
/// `@unchecked Sendable`: one transaction uses a context at a time. It passes from thread to thread only through the
/// gate's lock, and the transactions that hold it are not Sendable.
@safe
final class TransactionContext: @unchecked Sendable {
    /// The environment outlives every transaction: each one's face holds it strongly.
    let environment: Unmanaged<LMDBEnvironment>
    /// Nil once it has ended.
    var handle: OpaquePointer?
    /// The family of write transactions it belongs to; nil for a read transaction.
    let writing: WriteLineage?
    /// The thread that the read transaction began on.
    var readingThread: UInt = 0
    /// Whether LMDB has failed the transaction: only an abort is left.
    var hasFailed = false
    /// What its snapshots and the cursors opened from now on show instead of what they hold.
    var overlay: LMDBOverlay?
    /// What a read transaction searches by itself.
    private var trees = MappedTrees()
    /// Transactions on the same commit that this one had before `handle`; bytes and cursors may still be theirs.
    private var retired: [OpaquePointer] = unsafe []

    init(environment: LMDBEnvironment, handle: OpaquePointer, writing: WriteLineage?) {
        unsafe self.environment = Unmanaged.passUnretained(environment)
        unsafe self.handle = handle
        self.writing = writing
    }

    /// Puts a reset read transaction on the newest commit.
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

    /// The tree of a database, where a read transaction searches it by itself; nil where LMDB is to be asked.
    ///
    /// - Parameter lookups: how many are to be made.
    @inline(__always)
    func tree(of database: LMDBDatabase, lookups: Int) -> MappedTree? {
        guard writing == nil, !CallFaults.isAnyPlanned else { return nil }
        return trees.tree(of: database, lookups: lookups, in: self)
    }

    /// Ends the transaction, aborting what it did.
    func end() {
        endRetired()
        if let handle = unsafe handle { unsafe Calls.abort(handle) }
        unsafe handle = nil
    }

    /// Goes on with another transaction on the same commit; the one before lives until this one ends.
    func exchange(_ newer: OpaquePointer) {
        if let older = unsafe handle { unsafe retired.append(older) }
        unsafe handle = newer
    }

    private func endRetired() {
        while let transaction = unsafe retired.popLast() { unsafe Calls.abort(transaction) }
    }
}

/// A write transaction, its children, and the thread they are pinned to.
///
/// Only that thread touches it, which each operation checks before anything else.
final class WriteLineage {
    let thread: UInt
    /// The outermost first. Only the last may be used; ending one ends those after it.
    var levels: [TransactionContext] = []
    /// Databases opened by these transactions, which the environment learns of when the outermost commits.
    var opened: [(name: String, database: LMDBDatabase, level: Int)] = []

    init(thread: UInt) {
        self.thread = thread
    }

    /// What a level opened is its parent's after a commit, and closed after an abort.
    func end(level: Int, isCommitted: Bool) {
        if !isCommitted { opened.removeAll { $0.level >= level } }
        for index in opened.indices where opened[index].level >= level { opened[index].level = level - 1 }
    }
}
