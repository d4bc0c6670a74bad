internal import CLMDB

/// The one place that calls liblmdb. Each function is a thin cover over one C function: it turns spans into `MDB_val`
/// and answers with LMDB's own code, which `LMDBError(code:…)` turns into an error. Nothing else imports `CLMDB`,
/// so what this library asks of LMDB can be read on one page. A test makes any of them fail by `CallFaults`.
enum Calls {
    /// What `mdb_env_create` and `mdb_env_open` need to know.
    struct OpenRequest {
        var path: String
        var mapSize: Int
        var maximumReaders: UInt32
        var maximumDatabases: UInt32
        var isReadOnly: Bool
        var syncs: Bool
        var fileMode: UInt32
    }

    // MARK: Environment

    /// Creates and opens an environment. Always `MDB_NOTLS`: without it a second read transaction on a thread fails,
    /// and the end of a thread drops the slot under a snapshot that still lives. Never `MDB_WRITEMAP`: a full disk
    /// would be a SIGBUS.
    static func open(_ request: OpenRequest, into environment: inout OpaquePointer?) -> Int32 {
        if let fault = CallFaults.faultOfOpening(at: request.path) { return fault.code }
        var created: OpaquePointer?
        let code = unsafe mdb_env_create(&created)
        guard code == 0, let handle = unsafe created else { return code }
        var flags = UInt32(MDB_NOTLS)
        if request.isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if !request.syncs { flags |= UInt32(MDB_NOSYNC) }
        var result = unsafe mdb_env_set_mapsize(handle, request.mapSize)
        if result == 0 { result = unsafe mdb_env_set_maxreaders(handle, request.maximumReaders) }
        if result == 0 { result = unsafe mdb_env_set_maxdbs(handle, request.maximumDatabases) }
        if result == 0 { result = unsafe mdb_env_open(handle, request.path, flags, mdb_mode_t(request.fileMode)) }
        guard result == 0 else {
            unsafe mdb_env_close(handle)
            return result
        }
        unsafe environment = handle
        return 0
    }

    static func close(_ environment: OpaquePointer) {
        unsafe mdb_env_close(environment)
    }

    /// Brings to the disk what was written.
    static func sync(_ environment: OpaquePointer) -> Int32 {
        if let fault = unsafe CallFaults.fault(.sync, environment: environment) { return fault.code }
        return unsafe mdb_env_sync(environment, 1)
    }

    static func setMapSize(_ environment: OpaquePointer, _ size: Int) -> Int32 {
        if let fault = unsafe CallFaults.fault(.growth, environment: environment) { return fault.code }
        return unsafe mdb_env_set_mapsize(environment, size)
    }

    /// Whether commits leave the meta page to the next sync (`MDB_NOMETASYNC`). An environment's flag, not a
    /// transaction's: only the thread that holds the writer's seat may change it.
    static func setDefersMetaSync(_ environment: OpaquePointer, _ defers: Bool) {
        // Refuses unknown flags only.
        _ = unsafe mdb_env_set_flags(environment, UInt32(MDB_NOMETASYNC), defers ? 1 : 0)
    }

    static func fileDescriptor(of environment: OpaquePointer) -> Int32 {
        var descriptor: Int32 = -1
        _ = unsafe mdb_env_get_fd(environment, &descriptor)
        return descriptor
    }

    /// The version of the library that is loaded.
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

    static func copy(_ environment: OpaquePointer, to directory: String, compacting: Bool) -> Int32 {
        if let fault = unsafe CallFaults.fault(.copy, environment: environment) { return fault.code }
        return unsafe mdb_env_copy2(environment, directory, compacting ? UInt32(MDB_CP_COMPACT) : 0)
    }

    /// Frees the slots of readers whose process is gone.
    static func checkReaders(_ environment: OpaquePointer, cleared: inout Int32) -> Int32 {
        if let fault = unsafe CallFaults.fault(.checkReaders, environment: environment) { return fault.code }
        return unsafe mdb_reader_check(environment, &cleared)
    }

    /// The reader table as the text LMDB makes of it; there is no other access to it.
    static func listReaders(_ environment: OpaquePointer, into text: inout String) -> Int32 {
        if let fault = unsafe CallFaults.fault(.listReaders, environment: environment) { return fault.code }
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
            // A commit that fails has ended its transaction all the same.
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

    /// Opens a named database, or the unnamed one for nil. LMDB forbids two transactions that do this to overlap.
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

    /// Whether a transaction sees a handle: not if the handle was opened after it began.
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

    /// Asks the processor for a page of memory, by its address divided by 4,096.
    @inline(__always)
    static func prefetch(page: UInt) { clmdb_prefetch_page(page) }

    /// Asks the processor for the beginning of some bytes: as many lines as most records take, of one that is longer more
    /// follow when they are read.
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

    /// Asks the processor for the 64 bytes of memory around an address.
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

    /// LMDB's own words for a code.
    static func message(for code: Int32) -> String {
        unsafe String(cString: mdb_strerror(code))
    }
}

extension MDB_val {
    /// LMDB wants mutable pointers and writes through none of those that go in.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    /// What LMDB answered with, in its map. Empty, without an address, for a value that was never filled in.
    @inline(__always)
    init(_ value: MDB_val) {
        unsafe self.init(start: value.mv_data, count: value.mv_size)
    }
}
