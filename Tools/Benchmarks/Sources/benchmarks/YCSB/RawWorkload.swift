import CLMDBRaw
import Foundation

/// LMDB through its C interface. A record's value is its ten fields one after the other, under the id. This side keeps no feed,
/// hashes and checks nothing, and commits every write separately.
///
/// Safe to share: writes run under `lock`, and each read has a transaction of its own.
@safe
final class RawWorkload: WorkloadSide, @unchecked Sendable {
    private let environment: OpaquePointer
    private let records: MDB_dbi
    private let lock = NSLock()

    init(directory: String) throws {
        var opened: OpaquePointer?
        try unsafe check(mdb_env_create(&opened), "mdb_env_create")
        guard let environment = unsafe opened else { throw BenchmarkError("no environment") }
        unsafe self.environment = unsafe environment
        try unsafe check(mdb_env_set_mapsize(environment, 1 << 40), "mdb_env_set_mapsize")
        try unsafe check(mdb_env_set_maxdbs(environment, 4), "mdb_env_set_maxdbs")
        try unsafe check(mdb_env_open(environment, directory, UInt32(MDB_NOTLS), 0o640), "mdb_env_open")
        var writing: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, 0, &writing), "mdb_txn_begin")
        var handle: MDB_dbi = 0
        try unsafe check(mdb_dbi_open(writing, "records", UInt32(MDB_CREATE), &handle), "mdb_dbi_open")
        records = handle
        try unsafe check(mdb_txn_commit(writing), "mdb_txn_commit")
    }

    func close() { unsafe mdb_env_close(environment) }

    private func write(_ body: (OpaquePointer) throws -> Void) throws {
        try lock.withLock {
            var opened: OpaquePointer?
            try unsafe check(mdb_txn_begin(environment, nil, 0, &opened), "mdb_txn_begin")
            guard let transaction = unsafe opened else { throw BenchmarkError("no transaction") }
            do {
                unsafe try body(transaction)
            } catch {
                unsafe mdb_txn_abort(transaction)
                throw error
            }
            try unsafe check(mdb_txn_commit(transaction), "mdb_txn_commit")
        }
    }

    private func reading<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
        var opened: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &opened), "mdb_txn_begin")
        guard let transaction = unsafe opened else { throw BenchmarkError("no transaction") }
        defer { unsafe mdb_txn_abort(transaction) }
        return unsafe try body(transaction)
    }

    private func put(_ key: String, _ value: [UInt8], _ transaction: OpaquePointer) throws {
        var (key, value) = (Array(key.utf8), value)
        try unsafe key.withUnsafeMutableBytes { key in
            try unsafe value.withUnsafeMutableBytes { value in
                var name = unsafe MDB_val(mv_size: key.count, mv_data: key.baseAddress)
                var bytes = unsafe MDB_val(mv_size: value.count, mv_data: value.baseAddress)
                try unsafe check(mdb_put(transaction, records, &name, &bytes, 0), "mdb_put")
            }
        }
    }

    /// Copies the fields, as a reader that keeps them must.
    private static func weight(_ value: MDB_val) -> Int {
        let bytes = unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        var weight = 0
        for start in stride(from: 0, to: bytes.count, by: WorkloadRecord.fieldByteCount) {
            let field = unsafe bytes[start..<min(start + WorkloadRecord.fieldByteCount, bytes.count)]
            weight += unsafe String(decoding: field, as: UTF8.self).utf8.count
        }
        return weight
    }

    func load(_ users: [WorkloadUser]) throws {
        try unsafe write { transaction in
            for user in users { unsafe try put(user.id, user.values.flatMap { Array($0.utf8) }, transaction) }
        }
    }

    func read(_ key: String) throws -> Int {
        try unsafe reading { transaction in unsafe try find(key, transaction).map { unsafe Self.weight($0) } ?? 0 }
    }

    private func find(_ key: String, _ transaction: OpaquePointer) throws -> MDB_val? {
        var key = Array(key.utf8)
        return try unsafe key.withUnsafeMutableBytes { key in
            var name = unsafe MDB_val(mv_size: key.count, mv_data: key.baseAddress)
            var bytes = unsafe MDB_val()
            let code = unsafe mdb_get(transaction, records, &name, &bytes)
            if code == MDB_NOTFOUND { return nil }
            try check(code, "mdb_get")
            return unsafe bytes
        }
    }

    func update(_ key: String, field: Int, to value: String) async throws {
        try unsafe write { transaction in
            guard let found = unsafe try find(key, transaction) else { throw BenchmarkError("no record \(key)") }
            var bytes = unsafe Array(UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size))
            let start = field * WorkloadRecord.fieldByteCount
            bytes.replaceSubrange(start..<start + WorkloadRecord.fieldByteCount, with: value.utf8)
            unsafe try put(key, bytes, transaction)
        }
    }

    func insert(_ user: WorkloadUser) async throws {
        try unsafe write { unsafe try put(user.id, user.values.flatMap { Array($0.utf8) }, $0) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        try unsafe reading { transaction in
            var opened: OpaquePointer?
            try unsafe check(mdb_cursor_open(transaction, records, &opened), "mdb_cursor_open")
            defer { unsafe mdb_cursor_close(opened) }
            var (weight, left) = (0, count)
            var key = Array(key.utf8)
            try unsafe key.withUnsafeMutableBytes { key in
                var name = unsafe MDB_val(mv_size: key.count, mv_data: key.baseAddress)
                var bytes = unsafe MDB_val()
                var code = unsafe mdb_cursor_get(opened, &name, &bytes, MDB_SET_RANGE)
                while code == 0, left > 0 {
                    weight += unsafe Self.weight(bytes)
                    left -= 1
                    if left > 0 { code = unsafe mdb_cursor_get(opened, &name, &bytes, MDB_NEXT) }
                }
                if code != MDB_NOTFOUND { try check(code, "mdb_cursor_get") }
            }
            return weight
        }
    }

    func count() throws -> Int {
        try unsafe reading { transaction in
            var statistics = MDB_stat()
            try unsafe check(mdb_stat(transaction, records, &statistics), "mdb_stat")
            return statistics.ms_entries
        }
    }
}
