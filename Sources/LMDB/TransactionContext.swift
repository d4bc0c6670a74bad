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
    /// Transactions on the same commit that this one had before `handle`; bytes and cursors may still be theirs.
    var retired: [OpaquePointer] = unsafe []

    init(environment: LMDBEnvironment, handle: OpaquePointer, writing: WriteLineage?) {
        unsafe self.environment = Unmanaged.passUnretained(environment)
        unsafe self.handle = handle
        self.writing = writing
    }

    func endRetired() {
        while let transaction = unsafe retired.popLast() { unsafe Calls.abort(transaction) }
    }

    func invalidKey(_ byteCount: Int, _ operation: StaticString) -> LMDBError {
        LMDBKey.invalid(byteCount: byteCount, operation, path: unsafe environment.takeUnretainedValue().path)
    }

    /// The error for a code that LMDB answered in this transaction.
    func failure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        LMDBError(code: code, operation: "\(operation)", path: unsafe environment.takeUnretainedValue().path)
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
}
