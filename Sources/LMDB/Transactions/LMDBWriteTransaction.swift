internal import CLMDB

/// The one write transaction of an environment (or a child of it), on the thread that began it.
///
/// LMDB's writer lock belongs to a thread: a commit elsewhere would succeed and leave the store locked. So each operation
/// checks the thread. A value that goes away without a commit aborts.
@safe
package struct LMDBWriteTransaction: ~Copyable {
    /// How `put` treats what is there.
    package struct PutOptions: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Leave an entry that is already there as it is.
        package static let noOverwrite = PutOptions(rawValue: UInt32(MDB_NOOVERWRITE))
        /// The key follows all others: twenty times faster than searching for its place. Another order is an error, or
        /// with `noOverwrite` the answer false.
        package static let append = PutOptions(rawValue: UInt32(MDB_APPEND))
    }

    private let environment: LMDBEnvironment
    private let context: TransactionContext
    private let lineage: WriteLineage
    private let level: Int
    private var isEnded = false

    init(environment: LMDBEnvironment, context: TransactionContext, lineage: WriteLineage, level: Int) {
        self.environment = environment
        self.context = context
        self.lineage = lineage
        self.level = level
    }

    deinit {
        if !isEnded { environment.endWrite(lineage, level: level, context: context) }
    }

    /// What this transaction sees: the newest commit and its own changes.
    package var snapshot: LMDBSnapshot {
        @_lifetime(borrow self)
        borrowing get {
            LMDBSnapshot(context, of: self)
        }
    }

    /// Stores a value under a key. False: `noOverwrite`, and there is one already, which stays; with `append` also when
    /// the key does not follow all others.
    @discardableResult
    package mutating func put(
        _ database: LMDBDatabase, key: RawSpan, value: RawSpan, options: PutOptions = []
    ) throws(LMDBError) -> Bool {
        let handle = unsafe try live("mdb_put")
        let code = unsafe Calls.put(handle, database, key, value, flags: options.rawValue)
        if code == 0 { return true }
        if code == MDB_KEYEXIST && options.contains(.noOverwrite) { return false }
        throw context.failure(code, "mdb_put")
    }

    /// Stores a value under a key that is to be new. False: there is one already, which stays.
    ///
    /// Keys that come in rising order are appended, which leaves pages full.
    package mutating func putNew(_ database: LMDBDatabase, key: RawSpan, value: RawSpan) throws(LMDBError) -> Bool {
        let guesses = environment.appendGuesses
        var isAppended = false
        if guesses.isLikely(database) {
            isAppended = try put(database, key: key, value: value, options: [.append, .noOverwrite])
        }
        guesses.note(database, wasAppended: isAppended)
        if isAppended { return true }
        return try put(database, key: key, value: value, options: .noOverwrite)
    }

    /// Deletes a key. False: there was none.
    @discardableResult
    package mutating func delete(_ database: LMDBDatabase, key: RawSpan) throws(LMDBError) -> Bool {
        let handle = unsafe try live("mdb_del")
        guard LMDBKey.isValid(key) else {
            throw context.invalidKey(key.byteCount, "mdb_del")
        }
        let code = unsafe Calls.delete(handle, database, key)
        if code == 0 { return true }
        if code == MDB_NOTFOUND { return false }
        throw context.failure(code, "mdb_del")
    }

    /// Deletes all entries of a database.
    package mutating func empty(_ database: LMDBDatabase) throws(LMDBError) {
        let code = unsafe Calls.drop(try live("mdb_drop"), database, deleting: false)
        guard code == 0 else { throw context.failure(code, "mdb_drop") }
    }

    /// Deletes a database: in an outermost transaction, and while this process reads nothing (waits for that a while,
    /// then throws `busy`). Afterwards no copy of its handle may be used: LMDB gives the number to another.
    package mutating func drop(_ database: LMDBDatabase) throws(LMDBError) {
        let handle = unsafe try live("mdb_drop")
        guard level == 0 else {
            // Its handle would be gone though the child's abort keeps the database, and fail the parent.
            throw LMDBError(
                .badTransaction, operation: "mdb_drop", path: environment.path,
                detail: "a child transaction cannot drop a database", remedy: "empty it here and drop it in the parent")
        }
        // First what takes time, while readers still run.
        try empty(database)
        try environment.withoutReaders("mdb_drop") { () throws(LMDBError) in
            let code = unsafe Calls.drop(handle, database, deleting: true)
            guard code == 0 else { throw context.failure(code, "mdb_drop") }
        }
        lineage.opened.removeAll { $0.database == database }
        environment.forget(database)
    }

    /// Opens a named database; nil if there is none and none is to be created.
    package mutating func openDatabase(named name: String, create: Bool) throws(LMDBError) -> LMDBDatabase? {
        let handle = unsafe try live("mdb_dbi_open")
        var database: LMDBDatabase?
        let code = unsafe Calls.openDatabase(handle, named: name, create: create, into: &database)
        if code == MDB_NOTFOUND { return nil }
        guard code == 0, let database else { throw context.failure(code, "mdb_dbi_open") }
        lineage.opened.append((name, database, level))
        return database
    }

    /// Begins a transaction within this one, which cannot be used until the child has ended.
    package mutating func beginChild() throws(LMDBError) -> LMDBWriteTransaction {
        let parent = unsafe try live("mdb_txn_begin")
        var child: OpaquePointer?
        let code = unsafe environment.beginChild(of: parent, into: &child)
        guard code == 0, let child = unsafe child else { throw context.failure(code, "mdb_txn_begin") }
        let context = unsafe TransactionContext(environment: environment, handle: child, writing: lineage)
        lineage.levels.append(context)
        return LMDBWriteTransaction(environment: environment, context: context, lineage: lineage, level: level + 1)
    }

    /// Commits: a child into its parent, the outermost to the disk. Whatever happens, the transaction has ended.
    package consuming func commit() throws(LMDBError) {
        let handle = unsafe try live("mdb_txn_commit")
        isEnded = true
        unsafe try environment.commit(handle, lineage, level: level, context: context)
    }

    /// Ends the transaction and undoes all it did.
    package consuming func abort() {
        isEnded = true
        environment.endWrite(lineage, level: level, context: context)
    }

    /// The handle, if this is the thread, and this the innermost transaction that still runs.
    @inline(__always)
    private func live(_ operation: StaticString) throws(LMDBError) -> OpaquePointer {
        guard !environment.isForked else { throw environment.forkedChild(operation) }
        guard lineage.thread == SystemCalls.currentThread else { throw environment.wrongThread(operation) }
        guard let handle = unsafe context.handle, lineage.levels.count == level + 1 else {
            throw environment.notInnermost(operation, hasEnded: unsafe context.handle == nil)
        }
        return unsafe handle
    }
}

/// Pinned to its thread.
@available(*, unavailable)
extension LMDBWriteTransaction: Sendable {}
