internal import CLMDB

/// The write transaction of an environment, or a child of it, on the thread that began it.
///
/// LMDB's writer lock belongs to a thread: a commit on another thread would succeed and leave the store locked. Each operation
/// therefore checks the thread. A value that is destroyed without a commit aborts.
@safe
package struct LMDBWriteTransaction: ~Copyable {
    /// How `put` treats existing entries.
    package struct PutOptions: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Keep an existing entry unchanged.
        package static let noOverwrite = PutOptions(rawValue: UInt32(MDB_NOOVERWRITE))
        /// The key is greater than all others: twenty times faster than searching for its position. A key in another order is an
        /// error, or with `noOverwrite` the result false.
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

    /// The state that this transaction reads: the newest commit and its own changes.
    package var snapshot: LMDBSnapshot {
        @_lifetime(borrow self)
        borrowing get {
            LMDBSnapshot(context, of: self)
        }
    }

    /// Stores a value under a key. Returns false if `noOverwrite` is set and the key exists; the entry then stays. With `append`,
    /// also returns false if the key is not greater than all others.
    @discardableResult
    package mutating func put(
        _ database: LMDBDatabase, key: RawSpan, value: RawSpan, options: PutOptions = []
    ) throws(LMDBError) -> Bool {
        let handle = unsafe try live("mdb_put")
        if LMDBKey.isValid(key) {
            try unsafe key.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(LMDBError) in
                let position = unsafe options.contains(.append) ? TreePosition.last : .key(bytes)
                try environment.pageChecks.require(database, position, in: context, "mdb_put")
            }
        }
        let code = unsafe Calls.put(handle, database, key, value, flags: options.rawValue)
        if code == 0 {
            lineage.note(.put, database, key: key, value: value, in: environment)
            return true
        }
        if code == MDB_KEYEXIST && options.contains(.noOverwrite) { return false }
        throw context.failure(code, "mdb_put")
    }

    /// Stores a value under a new key. Returns false if the key exists; the entry then stays.
    ///
    /// Keys in ascending order are appended, which leaves pages full.
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

    /// Deletes a key. Returns false if it does not exist.
    @discardableResult
    package mutating func delete(_ database: LMDBDatabase, key: RawSpan) throws(LMDBError) -> Bool {
        let handle = unsafe try live("mdb_del")
        guard LMDBKey.isValid(key) else {
            throw context.invalidKey(key.byteCount, "mdb_del")
        }
        try unsafe key.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(LMDBError) in
            unsafe try environment.pageChecks.require(database, .key(bytes), isDeleted: true, in: context, "mdb_del")
        }
        let code = unsafe Calls.delete(handle, database, key)
        if code == 0 {
            lineage.note(.delete, database, key: key, in: environment)
            return true
        }
        if code == MDB_NOTFOUND { return false }
        throw context.failure(code, "mdb_del")
    }

    /// Deletes all entries of a database.
    package mutating func empty(_ database: LMDBDatabase) throws(LMDBError) {
        let handle = unsafe try live("mdb_drop")
        try environment.pageChecks.requireWhole(database, in: context, "mdb_drop")
        let code = unsafe Calls.drop(handle, database, deleting: false)
        guard code == 0 else { throw context.failure(code, "mdb_drop") }
        lineage.note(.empty, database, in: environment)
    }

    /// Deletes a database. Allowed in an outermost transaction, while this process runs no read transaction: waits for that for a
    /// limited time, then throws `busy`. Afterwards no copy of the handle may be used, because LMDB reuses the number.
    package mutating func drop(_ database: LMDBDatabase) throws(LMDBError) {
        let handle = unsafe try live("mdb_drop")
        guard level == 0 else {
            // A child's abort would restore the database but not its handle, and would fail the parent.
            throw LMDBError(
                .badTransaction, operation: "mdb_drop", path: environment.path,
                detail: "a child transaction cannot drop a database", remedy: "empty it here and drop it in the parent")
        }
        // The slow part comes first, while readers may still run.
        try empty(database)
        try environment.withoutReaders("mdb_drop") { () throws(LMDBError) in
            let code = unsafe Calls.drop(handle, database, deleting: true)
            guard code == 0 else { throw context.failure(code, "mdb_drop") }
        }
        lineage.note(.drop, database, in: environment)
        lineage.opened.removeAll { $0.database == database }
        environment.forget(database)
    }

    /// Opens a named database; nil if it does not exist and `create` is false.
    package mutating func openDatabase(named name: String, create: Bool) throws(LMDBError) -> LMDBDatabase? {
        let handle = unsafe try live("mdb_dbi_open")
        var database: LMDBDatabase?
        // The redo log must not have an operation that changes nothing.
        let isLogged = create && lineage.operations != nil
        var code = unsafe Calls.openDatabase(handle, named: name, create: create && !isLogged, into: &database)
        let isNew = isLogged && code == MDB_NOTFOUND
        if isNew { code = unsafe Calls.openDatabase(handle, named: name, create: true, into: &database) }
        if code == MDB_NOTFOUND { return nil }
        guard code == 0, let database else { throw context.failure(code, "mdb_dbi_open") }
        lineage.opened.append((name, database, level))
        if isNew { lineage.note(.create, database, in: environment) }
        return database
    }

    /// Begins a child transaction. This transaction cannot be used until the child has ended.
    package mutating func beginChild() throws(LMDBError) -> LMDBWriteTransaction {
        let parent = unsafe try live("mdb_txn_begin")
        var child: OpaquePointer?
        let code = unsafe environment.beginChild(of: parent, into: &child)
        guard code == 0, let child = unsafe child else { throw context.failure(code, "mdb_txn_begin") }
        let context = unsafe TransactionContext(environment: environment, handle: child, writing: lineage)
        lineage.beginLevel()
        lineage.levels.append(context)
        return LMDBWriteTransaction(environment: environment, context: context, lineage: lineage, level: level + 1)
    }

    /// Lets the outermost transaction commit although it leaves less free than the reserve of a store with a greatest size. For
    /// transactions that free space, or need little of it.
    package mutating func useReserve() { lineage.usesReserve = true }

    /// Checks now what the commit of the outermost transaction would check, for transactions that must not fail there.
    ///
    /// - Throws: ``LMDBError``: `storeFull` if the transaction leaves less than the reserve, and may not use it.
    package mutating func requireReserve() throws(LMDBError) {
        unsafe try environment.requireReserve(live("mdb_txn_commit"), lineage, context)
        useReserve()
    }

    /// Commits: a child into its parent, the outermost to the disk. The transaction has ended in any case, even after an error.
    ///
    /// - Throws: ``LMDBError``: `storeFull` if the outermost transaction leaves less than the reserve, and may not use it.
    package consuming func commit() throws(LMDBError) {
        let handle = unsafe try live("mdb_txn_commit")
        if level == 0 { unsafe try environment.requireReserve(handle, lineage, context) }
        isEnded = true
        unsafe try environment.commit(handle, lineage, level: level, context: context)
    }

    /// Ends the transaction and undoes all its changes.
    package consuming func abort() {
        isEnded = true
        environment.endWrite(lineage, level: level, context: context)
    }

    /// Returns the handle, if this is the transaction's thread and the innermost running transaction.
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
