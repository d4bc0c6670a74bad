internal import CLMDB
internal import Synchronization

/// Handles for named databases.
///
/// LMDB numbers the handles per process, and forbids two transactions to open them at once. A transaction does not see a handle
/// that was opened after it began. A handle that is opened in a transaction is closed again unless the transaction commits.
///
/// The writer therefore opens handles in its transaction, and its commit publishes them here. For readers, a separate short
/// transaction opens them. It holds the writer seat, so that it does not overlap with another transaction that opens handles.
extension LMDBEnvironment {
    /// Foreign stores may have other entries in the main database, so the number of vain attempts is limited.
    private static let maximumVainAttempts = 4096

    /// Opens the main database, which every later lookup needs, and all named databases. Called by `open`, before any reader
    /// begins.
    func openExistingDatabases() throws(LMDBError) {
        try checkMainDatabase()
        unsafe try inRegisteringTransaction { transaction in
            unsafe openAll(transaction)
        }
    }

    /// Checks all pages of the main database, which LMDB reads from now on.
    private func checkMainDatabase() throws(LMDBError) {
        var transaction: OpaquePointer?
        var code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: true, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else { throw failure(code, "mdb_txn_begin") }
        let context = unsafe TransactionContext(environment: self, handle: transaction, writing: nil)
        defer { context.end() }
        code = try context.findPages()
        guard code == 0 else { throw failure(code, "mdb_txn_renew") }
        let pages = context.pages
        unsafe try TreeCheck.requireWhole(pages.main, of: .databases, in: pages, self, "mdb_env_open")
    }

    /// Opens a handle for a named database that another process has created. This must not be called on a thread with a write
    /// transaction.
    func register(_ name: String) throws(LMDBError) {
        try takeWriterSeat("mdb_dbi_open", thread: SystemCalls.currentThreadIdentity)
        defer { gate.leaveWrite() }
        var database: LMDBDatabase?
        unsafe try inRegisteringTransaction { transaction in
            unsafe Calls.openDatabase(transaction, named: name, create: false, into: &database)
        }
        // Only after the commit: a transaction that another thread begins before it does not see the handle.
        if let database { databases.withLock { $0.add(name, database) } }
    }

    /// Removes a handle from the list of open handles.
    func forget(_ database: LMDBDatabase) {
        databases.withLock { $0.remove(database) }
        pageChecks.forget(database)
    }

    /// Runs `body` in a read transaction and commits it, which keeps the handles opened in it.
    private func inRegisteringTransaction(_ body: (OpaquePointer) -> Int32) throws(LMDBError) {
        var transaction: OpaquePointer?
        var code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: true, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else { throw failure(code, "mdb_txn_begin") }
        code = unsafe body(transaction)
        guard code == 0 else {
            unsafe Calls.abort(transaction)
            throw failure(code, "mdb_dbi_open")
        }
        code = unsafe Calls.commit(transaction)
        guard code == 0 else { throw failure(code, "mdb_txn_commit") }
    }

    private func openAll(_ transaction: OpaquePointer) -> Int32 {
        var main: LMDBDatabase?
        var code = unsafe Calls.openDatabase(transaction, named: nil, create: false, into: &main)
        guard code == 0, let main else { return code }
        var cursor: OpaquePointer?
        code = unsafe Calls.openCursor(transaction, main, into: &cursor)
        guard code == 0, let cursor = unsafe cursor else { return code }
        defer { unsafe Calls.closeCursor(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var vainAttempts = 0
        code = unsafe Calls.move(cursor, MDB_FIRST, key: &key, value: &value)
        while code == 0, vainAttempts < Self.maximumVainAttempts {
            var database: LMDBDatabase?
            if let name = unsafe databaseName(key) {
                let opened = unsafe Calls.openDatabase(transaction, named: name, create: false, into: &database)
                if opened == MDB_DBS_FULL { return 0 }
                if let database { databases.withLock { $0.add(name, database) } }
            }
            if database == nil { vainAttempts += 1 }
            code = unsafe Calls.move(cursor, MDB_NEXT, key: &key, value: &value)
        }
        return code == MDB_NOTFOUND ? 0 : code
    }

    private func databaseName(_ key: MDB_val) -> String? {
        let bytes = unsafe UnsafeRawBufferPointer(key)
        guard unsafe !bytes.contains(0) else { return nil }
        return unsafe String(validating: bytes, as: UTF8.self)
    }
}

extension LMDBSnapshot {
    /// Returns an existing named database; nil if this snapshot has none with this name.
    ///
    /// Throws `busy` in the rare case that another process created the database, this process has no handle yet, and a commit
    /// came in between. Then begin a new transaction.
    package func openDatabase(named name: String) throws(LMDBError) -> LMDBDatabase? {
        let context = unsafe context.takeUnretainedValue()
        guard try context.hasDatabase(named: name) else { return nil }
        let environment = unsafe context.environment.takeUnretainedValue()
        if let known = environment.databases.withLock({ $0[name] }), context.canUse(known) { return known }
        if let lineage = context.writing {
            return try context.openInWriteTransaction(name, lineage)
        }
        if environment.databases.withLock({ $0[name] }) == nil { try environment.register(name) }
        try context.exchangeForNewer()
        guard let known = environment.databases.withLock({ $0[name] }), context.canUse(known) else {
            throw context.failure(MDB_BAD_DBI, "mdb_dbi_open")
        }
        return known
    }
}

extension TransactionContext {
    func invalidKey(_ byteCount: Int, _ operation: StaticString) -> LMDBError {
        LMDBKey.invalid(byteCount: byteCount, operation, path: unsafe environment.takeUnretainedValue().path)
    }

    /// Returns the error for a code that LMDB returned in this transaction. An error after which LMDB cannot continue marks a
    /// write transaction as failed.
    func failure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        let environment = unsafe environment.takeUnretainedValue()
        guard writing != nil else { return environment.failure(code, operation) }
        let error = environment.writeFailure(code, operation)
        let harmless: [LMDBError.Code] = [
            .notFound, .keyExists, .keySize, .incompatible, .databasesFull, .badTransaction, .readOnly,
        ]
        if !harmless.contains(error.code) { hasFailed = true }
        return error
    }

    /// Marks a write transaction as failed, and returns the error.
    func fail(_ error: LMDBError) -> LMDBError {
        if writing != nil { hasFailed = true }
        return error
    }

    fileprivate func hasDatabase(named name: String) throws(LMDBError) -> Bool {
        guard LMDBKey.isValid(byteCount: name.utf8.count) else { return false }
        return try unsafe Array(name.utf8).span.bytes.withUnsafeBytes {
            (bytes: UnsafeRawBufferPointer) throws(LMDBError) in unsafe try value(.main, bytes) != nil
        }
    }

    fileprivate func canUse(_ database: LMDBDatabase) -> Bool {
        unsafe Calls.canUse(handle, database)
    }

    fileprivate func openInWriteTransaction(
        _ name: String, _ lineage: WriteLineage
    ) throws(LMDBError) -> LMDBDatabase {
        var database: LMDBDatabase?
        let code = unsafe Calls.openDatabase(handle, named: name, create: false, into: &database)
        guard code == 0, let database else { throw failure(code, "mdb_dbi_open") }
        lineage.opened.append((name, database, lineage.levels.count - 1))
        return database
    }

    /// Replaces this snapshot's transaction with a newer one on the same commit, which sees the handles opened since.
    fileprivate func exchangeForNewer() throws(LMDBError) {
        let environment = unsafe environment.takeUnretainedValue()
        var newer: OpaquePointer?
        let code = unsafe Calls.begin(environment.handle.pointer, parent: nil, isReadOnly: true, into: &newer)
        guard code == 0, let newer = unsafe newer else { throw failure(code, "mdb_txn_begin") }
        guard unsafe Calls.identifier(of: newer) == Calls.identifier(of: handle) else {
            unsafe Calls.abort(newer)
            throw LMDBError(
                .busy, operation: "mdb_dbi_open", path: environment.path,
                detail:
                    "another process created the database, and a newer commit followed before this process opened it",
                remedy: "begin a new read transaction")
        }
        unsafe exchange(newer)
    }
}
