import CLMDBRaw
import Foundation

/// An LMDB environment with some databases through the C interface, for rows whose records are not accounts.
@safe
final class RawTables {
    private let environment: OpaquePointer
    private let reading: OpaquePointer
    let databases: [MDB_dbi]
    let key = RawBuffer(capacity: 1 << 10)
    let value = RawBuffer(capacity: 1 << 10)

    init(directory: String, databases names: [String]) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var opened: OpaquePointer?
        try unsafe check(mdb_env_create(&opened), "mdb_env_create")
        guard let environment = unsafe opened else { throw BenchmarkError("no environment") }
        unsafe self.environment = unsafe environment
        try unsafe check(mdb_env_set_mapsize(environment, 1 << 36), "mdb_env_set_mapsize")
        try unsafe check(mdb_env_set_maxdbs(environment, 16), "mdb_env_set_maxdbs")
        try unsafe check(mdb_env_open(environment, directory, UInt32(MDB_NOTLS), 0o640), "mdb_env_open")
        var writing: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, 0, &writing), "mdb_txn_begin")
        databases = try names.map { name in
            var handle: MDB_dbi = 0
            try unsafe check(mdb_dbi_open(writing, name, UInt32(MDB_CREATE), &handle), "mdb_dbi_open")
            return handle
        }
        try unsafe check(mdb_txn_commit(writing), "mdb_txn_commit")
        var transaction: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction), "mdb_txn_begin")
        guard let reading = unsafe transaction else { throw BenchmarkError("no transaction") }
        unsafe self.reading = unsafe reading
        unsafe mdb_txn_reset(reading)
    }

    func close() {
        unsafe mdb_txn_abort(reading)
        unsafe mdb_env_close(environment)
    }

    /// Runs `body` in one write transaction.
    func write(_ body: (OpaquePointer) throws -> Void) throws {
        var opened: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, 0, &opened), "mdb_txn_begin")
        guard let transaction = unsafe opened else { throw BenchmarkError("no transaction") }
        unsafe try body(transaction)
        try unsafe check(mdb_txn_commit(transaction), "mdb_txn_commit")
    }

    /// Puts ``value`` under ``key``.
    func put(_ database: MDB_dbi, _ transaction: OpaquePointer) throws {
        var keyBytes = unsafe key.bytes
        var valueBytes = unsafe value.bytes
        try unsafe check(mdb_put(transaction, database, &keyBytes, &valueBytes, 0), "mdb_put")
    }

    func read<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        try unsafe check(mdb_txn_renew(reading), "mdb_txn_renew")
        defer { unsafe mdb_txn_reset(reading) }
        return unsafe try body(reading)
    }

    func withCursor<Result>(
        _ database: MDB_dbi, _ transaction: OpaquePointer, _ body: (OpaquePointer) throws -> Result
    ) throws -> Result {
        var cursor: OpaquePointer?
        try unsafe check(mdb_cursor_open(transaction, database, &cursor), "mdb_cursor_open")
        defer { unsafe mdb_cursor_close(cursor) }
        guard let cursor = unsafe cursor else { throw BenchmarkError("no cursor") }
        return unsafe try body(cursor)
    }

    /// Calls `body` with the last eight bytes of each key that begins with ``key``, in order.
    func walkPrefix(_ cursor: OpaquePointer, _ body: (UnsafeRawPointer) throws -> Void) throws {
        let prefix = unsafe key.bytes
        var keyBytes = unsafe prefix
        var found = unsafe MDB_val()
        var code = unsafe mdb_cursor_get(cursor, &keyBytes, &found, MDB_SET_RANGE)
        while code == 0, let entry = unsafe keyBytes.mv_data,
            unsafe memcmp(entry, prefix.mv_data, prefix.mv_size) == 0
        {
            unsafe try body(UnsafeRawPointer(entry) + (keyBytes.mv_size - 8))
            code = unsafe mdb_cursor_get(cursor, &keyBytes, &found, MDB_NEXT)
        }
        if code != MDB_NOTFOUND { try check(code, "mdb_cursor_get") }
    }
}

extension MDB_val {
    /// Returns the bytes from `offset` on as a text.
    @inline(__always)
    func text(from offset: Int) -> String {
        unsafe String(
            decoding: UnsafeRawBufferPointer(start: mv_data + offset, count: mv_size - offset), as: UTF8.self)
    }

    @inline(__always)
    func integer(at offset: Int) -> Int { unsafe mv_data.loadUnaligned(fromByteOffset: offset, as: Int.self) }
}

extension RawBuffer {
    /// Appends a number so that keys sort in the order of the numbers.
    @inline(__always)
    func append(keyOf number: Int) { append(integer: UInt64(bitPattern: Int64(number ^ .min)).bigEndian) }
}
