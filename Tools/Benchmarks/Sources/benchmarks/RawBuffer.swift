import CLMDBRaw

/// Bytes to pass to LMDB, in memory that is allocated once and does not grow.
@safe
final class RawBuffer {
    let base: UnsafeMutableRawPointer
    private(set) var count = 0
    private let capacity: Int

    init(capacity: Int) {
        unsafe base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { unsafe base.deallocate() }

    /// The appended bytes in LMDB's form, valid until the next change.
    @inline(__always)
    var bytes: MDB_val { unsafe MDB_val(mv_size: count, mv_data: base) }

    @inline(__always)
    func removeAll() { count = 0 }

    @inline(__always)
    func append<T: FixedWidthInteger & BitwiseCopyable>(integer: T) {
        precondition(count + MemoryLayout<T>.size <= capacity)
        unsafe base.storeBytes(of: integer, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }

    /// Overwrites bytes that were appended before.
    @inline(__always)
    func store<T: FixedWidthInteger & BitwiseCopyable>(_ integer: T, at offset: Int) {
        precondition(offset + MemoryLayout<T>.size <= count)
        unsafe base.storeBytes(of: integer, toByteOffset: offset, as: T.self)
    }

    @inline(__always)
    func append(zeros: Int) {
        precondition(count + zeros <= capacity)
        unsafe (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
        count += zeros
    }

    @inline(__always)
    func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            precondition(count + utf8.count <= capacity)
            if let start = utf8.baseAddress { unsafe (base + count).copyMemory(from: start, byteCount: utf8.count) }
            count += utf8.count
        }
    }

    @inline(__always)
    func append(_ other: RawBuffer) {
        precondition(count + other.count <= capacity)
        unsafe (base + count).copyMemory(from: other.base, byteCount: other.count)
        count += other.count
    }
}

/// Fails unless LMDB succeeded.
@inline(__always)
func check(_ code: Int32, _ operation: StaticString) throws {
    guard code == 0 else { throw BenchmarkError("\(operation): \(unsafe String(cString: mdb_strerror(code)))") }
}

/// Reads facts about the files of an LMDB environment that other code has open.
enum EnvironmentFile {
    /// Returns the number of the last commit.
    ///
    /// It opens the environment without locks, because a process must not open the lock file twice.
    static func lastTransaction(in directory: String) throws -> Int {
        var opened: OpaquePointer?
        try unsafe check(mdb_env_create(&opened), "mdb_env_create")
        defer { unsafe mdb_env_close(opened) }
        try unsafe check(mdb_env_open(opened, directory, UInt32(MDB_RDONLY | MDB_NOLOCK), 0), "mdb_env_open")
        var info = unsafe MDB_envinfo()
        try unsafe check(mdb_env_info(opened, &info), "mdb_env_info")
        return unsafe info.me_last_txnid
    }
}
