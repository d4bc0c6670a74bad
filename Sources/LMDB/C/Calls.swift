internal import CLMDB

/// The calls of liblmdb. Each function wraps one C function: it turns spans into `MDB_val` and returns LMDB's own code, which
/// `LMDBError(code:…)` turns into an error. Except for `CallFaults`, no other code calls a function of LMDB, so all uses of LMDB
/// can be reviewed here. Tests make calls fail with `CallFaults`.
enum Calls {
    /// The arguments of `mdb_env_create` and `mdb_env_open`.
    struct OpenRequest {
        var path: String
        var mapSize: Int
        var maximumReaders: UInt32
        var maximumDatabases: UInt32
        var isReadOnly: Bool
        var syncs: Bool
        var fileMode: UInt32
        /// False uses no lock file: the caller knows that nothing else has the environment open.
        var locks = true
    }

    // MARK: Environment

    /// Creates and opens an environment.
    ///
    /// Always with `MDB_NOTLS`. Without it, a second read transaction on a thread fails, and the end of a thread releases the
    /// reader slot of a live snapshot. Never with `MDB_WRITEMAP`, because a full disk would then raise SIGBUS.
    static func open(_ request: OpenRequest, into environment: inout OpaquePointer?) -> Int32 {
        if let fault = CallFaults.fault(.open, at: request.path) { return fault.code }
        var created: OpaquePointer?
        let code = unsafe mdb_env_create(&created)
        guard code == 0, let handle = unsafe created else { return code }
        var flags = UInt32(MDB_NOTLS)
        if request.isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if !request.syncs { flags |= UInt32(MDB_NOSYNC) }
        if !request.locks { flags |= UInt32(MDB_NOLOCK) }
        var result = unsafe mdb_env_set_mapsize(handle, request.mapSize)
        if result == 0 { result = unsafe mdb_env_set_maxreaders(handle, request.maximumReaders) }
        if result == 0 { result = unsafe mdb_env_set_maxdbs(handle, request.maximumDatabases) }
        if result == 0 { result = unsafe mdb_env_open(handle, request.path, flags, mdb_mode_t(request.fileMode)) }
        guard result == 0 else {
            unsafe mdb_env_close(handle)
            return result
        }
        // LMDB opens the data file without O_CLOEXEC. A program that this process starts would have it open for writing, under a
        // number that it may take for a file of its own.
        SystemCalls.closeOnExecution(unsafe fileDescriptor(of: handle))
        unsafe environment = handle
        return 0
    }

    static func close(_ environment: OpaquePointer) {
        unsafe mdb_env_close(environment)
    }

    /// Flushes written pages to the disk.
    static func sync(_ environment: OpaquePointer) -> Int32 {
        if let fault = unsafe CallFaults.fault(.sync, environment: environment) { return fault.code }
        return unsafe mdb_env_sync(environment, 1)
    }

    static func setMapSize(_ environment: OpaquePointer, _ size: Int) -> Int32 {
        if let fault = unsafe CallFaults.fault(.growth, environment: environment) { return fault.code }
        return unsafe mdb_env_set_mapsize(environment, size)
    }

    /// Sets whether commits leave the meta page to the next sync (`MDB_NOMETASYNC`). The flag belongs to the environment and not
    /// to a transaction, so only the thread that holds the writer seat may change it.
    static func setDefersMetaSync(_ environment: OpaquePointer, _ defers: Bool) {
        // It fails only for unknown flags.
        _ = unsafe mdb_env_set_flags(environment, UInt32(MDB_NOMETASYNC), defers ? 1 : 0)
    }

    /// Sets whether commits sync the data file themselves (without `MDB_NOSYNC`). For the same thread only.
    static func setSyncs(_ environment: OpaquePointer, _ syncs: Bool) {
        _ = unsafe mdb_env_set_flags(environment, UInt32(MDB_NOSYNC), syncs ? 0 : 1)
    }

    static func fileDescriptor(of environment: OpaquePointer) -> Int32 {
        var descriptor: Int32 = -1
        _ = unsafe mdb_env_get_fd(environment, &descriptor)
        return descriptor
    }

    /// Returns the version of the loaded library.
    static func libraryVersion() -> LMDBLibrary {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        _ = unsafe mdb_version(&major, &minor, &patch)
        return LMDBLibrary(major: major, minor: minor, patch: patch)
    }

    static func info(_ environment: OpaquePointer, fileBytes: Int, into info: inout LMDBInfo?) -> Int32 {
        if let fault = unsafe CallFaults.fault(.info, environment: environment) { return fault.code }
        var raw = unsafe MDB_envinfo()
        var statistics = MDB_stat()
        var code = unsafe mdb_env_info(environment, &raw)
        if code == 0 { code = unsafe mdb_env_stat(environment, &statistics) }
        guard code == 0 else { return code }
        info = unsafe LMDBInfo(
            mapSize: raw.me_mapsize,
            lastPage: raw.me_last_pgno,
            lastTransactionID: raw.me_last_txnid,
            maximumReaders: Int(raw.me_maxreaders),
            usedReaders: Int(raw.me_numreaders),
            pageSize: Int(statistics.ms_psize),
            fileBytes: fileBytes
        )
        return 0
    }

    /// Makes a compacting copy. Without that flag, LMDB waits for the writer.
    static func compact(_ environment: OpaquePointer, to directory: String) -> Int32 {
        if let fault = unsafe CallFaults.fault(.copy, environment: environment) { return fault.code }
        return unsafe mdb_env_copy2(environment, directory, UInt32(MDB_CP_COMPACT))
    }

    /// Returns whether the lock file counts no more readers than it has slots. LMDB trusts the count, and walks past the end of
    /// the map if another program has overwritten it.
    private static func hasReaderTable(_ environment: OpaquePointer) -> Bool {
        var raw = unsafe MDB_envinfo()
        guard unsafe mdb_env_info(environment, &raw) == 0 else { return true }
        return unsafe raw.me_numreaders <= raw.me_maxreaders
    }

    /// Frees the slots of readers whose process has ended.
    static func checkReaders(_ environment: OpaquePointer, cleared: inout Int32) -> Int32 {
        if let fault = unsafe CallFaults.fault(.checkReaders, environment: environment) { return fault.code }
        guard unsafe hasReaderTable(environment) else { return MDB_INVALID }
        return unsafe mdb_reader_check(environment, &cleared)
    }

    /// Returns the reader table as text. LMDB offers no other access to it.
    static func listReaders(_ environment: OpaquePointer, into text: inout String) -> Int32 {
        if let fault = unsafe CallFaults.fault(.listReaders, environment: environment) { return fault.code }
        guard unsafe hasReaderTable(environment) else { return MDB_INVALID }
        return unsafe withUnsafeMutablePointer(to: &text) { pointer in
            unsafe mdb_reader_list(
                environment,
                { message, context in
                    guard let message = unsafe message, let context = unsafe context else { return 0 }
                    unsafe context.assumingMemoryBound(to: String.self).pointee += String(cString: message)
                    return 0
                },
                pointer
            )
        }
    }

    // MARK: Transactions

    static func begin(
        _ environment: OpaquePointer, parent: OpaquePointer?, isReadOnly: Bool, into transaction: inout OpaquePointer?
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.begin, environment: environment) { return fault.code }
        // A nested transaction takes no slot and looks at none.
        guard unsafe parent != nil || hasReaderTable(environment) else { return MDB_INVALID }
        return unsafe mdb_txn_begin(environment, parent, isReadOnly ? UInt32(MDB_RDONLY) : 0, &transaction)
    }

    static func renew(_ transaction: OpaquePointer) -> Int32 {
        if let fault = unsafe CallFaults.fault(.renew, transaction: transaction) { return fault.code }
        return unsafe mdb_txn_renew(transaction)
    }

    static func reset(_ transaction: OpaquePointer) {
        unsafe mdb_txn_reset(transaction)
    }

    static func commit(_ transaction: OpaquePointer) -> Int32 {
        switch unsafe CallFaults.fault(.commit, transaction: transaction) {
        case nil: return unsafe mdb_txn_commit(transaction)
        case .loses(let code, isMade: true):
            let made = unsafe mdb_txn_commit(transaction)
            return made == 0 ? code : made
        case .loses(let code, isMade: false), .fails(let code):
            // A commit that fails ends its transaction too.
            unsafe abort(transaction)
            return code
        }
    }

    static func abort(_ transaction: OpaquePointer) {
        unsafe mdb_txn_abort(transaction)
    }

    static func identifier(of transaction: OpaquePointer?) -> Int {
        unsafe mdb_txn_id(transaction)
    }

    // MARK: Databases

    /// Opens a named database, or the unnamed one for nil. LMDB does not allow two transactions that do this to overlap.
    static func openDatabase(
        _ transaction: OpaquePointer?, named name: String?, create: Bool, into database: inout LMDBDatabase?
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.openDatabase, transaction: transaction) { return fault.code }
        var handle: MDB_dbi = 0
        let flags = create ? UInt32(MDB_CREATE) : 0
        let code: Int32
        if let name {
            code = unsafe mdb_dbi_open(transaction, name, flags, &handle)
        } else {
            code = unsafe mdb_dbi_open(transaction, nil, flags, &handle)
        }
        if code == 0 { database = LMDBDatabase(handle: handle) }
        return code
    }

    /// Returns whether a transaction can use a handle. It cannot if the handle was opened after the transaction began.
    static func canUse(_ transaction: OpaquePointer?, _ database: LMDBDatabase) -> Bool {
        var flags: UInt32 = 0
        return unsafe mdb_dbi_flags(transaction, database.handle, &flags) == 0
    }

    static func statistics(
        _ transaction: OpaquePointer?, _ database: LMDBDatabase, into statistics: inout LMDBStatistics?
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.statistics, transaction: transaction) { return fault.code }
        var raw = MDB_stat()
        let code = unsafe mdb_stat(transaction, database.handle, &raw)
        guard code == 0 else { return code }
        statistics = LMDBStatistics(
            pageSize: Int(raw.ms_psize),
            depth: Int(raw.ms_depth),
            branchPages: raw.ms_branch_pages,
            leafPages: raw.ms_leaf_pages,
            overflowPages: raw.ms_overflow_pages,
            entries: raw.ms_entries
        )
        return 0
    }

    static func drop(_ transaction: OpaquePointer, _ database: LMDBDatabase, deleting: Bool) -> Int32 {
        if let fault = unsafe CallFaults.fault(.drop, transaction: transaction) { return fault.code }
        return unsafe mdb_drop(transaction, database.handle, deleting ? 1 : 0)
    }

    // MARK: Entries

    @inline(__always)
    static func get(
        _ transaction: OpaquePointer?, _ database: LMDBDatabase, _ key: RawSpan, into found: inout MDB_val
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.get, transaction: transaction) { return fault.code }
        return unsafe key.withUnsafeBytes { bytes in
            var rawKey = unsafe MDB_val(bytes)
            return unsafe mdb_get(transaction, database.handle, &rawKey, &found)
        }
    }

    @inline(__always)
    static func put(
        _ transaction: OpaquePointer, _ database: LMDBDatabase, _ key: RawSpan, _ value: RawSpan, flags: UInt32
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.put, transaction: transaction) { return fault.code }
        return unsafe key.withUnsafeBytes { keyBytes in
            unsafe value.withUnsafeBytes { valueBytes in
                var rawKey = unsafe MDB_val(keyBytes)
                var rawValue = unsafe MDB_val(valueBytes)
                return unsafe mdb_put(transaction, database.handle, &rawKey, &rawValue, flags)
            }
        }
    }

    /// Stores a value of undefined bytes under a key.
    static func reserve(
        _ transaction: OpaquePointer, _ database: LMDBDatabase, _ key: RawSpan, byteCount: Int
    ) -> Int32 {
        unsafe key.withUnsafeBytes { keyBytes in
            var rawKey = unsafe MDB_val(keyBytes)
            var rawValue = unsafe MDB_val(mv_size: byteCount, mv_data: nil)
            return unsafe mdb_put(transaction, database.handle, &rawKey, &rawValue, UInt32(MDB_RESERVE))
        }
    }

    @inline(__always)
    static func delete(_ transaction: OpaquePointer, _ database: LMDBDatabase, _ key: RawSpan) -> Int32 {
        if let fault = unsafe CallFaults.fault(.delete, transaction: transaction) { return fault.code }
        return unsafe key.withUnsafeBytes { bytes in
            var rawKey = unsafe MDB_val(bytes)
            return unsafe mdb_del(transaction, database.handle, &rawKey, nil)
        }
    }

    // MARK: Cursors

    static func openCursor(
        _ transaction: OpaquePointer?, _ database: LMDBDatabase, into cursor: inout OpaquePointer?
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.openCursor, transaction: transaction) { return fault.code }
        return unsafe mdb_cursor_open(transaction, database.handle, &cursor)
    }

    static func closeCursor(_ cursor: OpaquePointer) {
        unsafe mdb_cursor_close(cursor)
    }

    @inline(__always)
    static func move(
        _ cursor: OpaquePointer, _ operation: MDB_cursor_op, key: inout MDB_val, value: inout MDB_val
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.moveCursor, cursor: cursor) { return fault.code }
        return unsafe mdb_cursor_get(cursor, &key, &value, operation)
    }

    /// Prefetches a page of memory, given by its address divided by 4,096.
    @inline(__always)
    static func prefetch(page: UInt) { clmdb_prefetch_page(page) }

    /// Prefetches the beginning of some bytes: at most 256, which covers most records. The rest of a longer record is loaded when
    /// it is read.
    @inline(__always)
    static func prefetch(beginningOf bytes: UnsafeRawBufferPointer) {
        let start = UInt(bitPattern: bytes.baseAddress)
        let end = start &+ UInt(min(bytes.count, 256))
        var line = start & ~63
        while line < end {
            prefetch(address: line)
            line &+= 64
        }
    }

    /// Prefetches the 64 bytes of memory around an address.
    @inline(__always)
    static func prefetch(address: UInt) { clmdb_prefetch(address) }

    @inline(__always)
    static func seek(
        _ cursor: OpaquePointer, _ operation: MDB_cursor_op, _ wanted: RawSpan, key: inout MDB_val,
        value: inout MDB_val
    ) -> Int32 {
        if let fault = unsafe CallFaults.fault(.moveCursor, cursor: cursor) { return fault.code }
        return unsafe wanted.withUnsafeBytes { bytes in
            unsafe key = MDB_val(bytes)
            return unsafe mdb_cursor_get(cursor, &key, &value, operation)
        }
    }

    /// Returns LMDB's own description of a code.
    static func message(for code: Int32) -> String {
        unsafe String(cString: mdb_strerror(code))
    }
}

extension MDB_val {
    /// LMDB requires mutable pointers, but does not write through its input values.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    /// A value that LMDB returned, in its map. Empty, without an address, if the value was never set.
    @inline(__always)
    init(_ value: MDB_val) {
        unsafe self.init(start: value.mv_data, count: value.mv_size)
    }
}
