internal import CLMDB
internal import Glibc

/// The side file of the redo log, `redo.checkpoint`: the last two checkpoints.
///
/// - 0 and 4,096: a ``CheckpointRecord`` each; checkpoint n is in the slot n modulo 2;
/// - 8,192: flags (``Flags``), 4 bytes. They are for processes of the same boot, and are never synced.
///
/// All its blocks exist from the start, so a full disk does not matter. Only the holder of LMDB's write lock writes to it.
struct CheckpointFile {
    /// The reasons to make a checkpoint before the next write.
    struct Flags: OptionSet {
        let rawValue: UInt32
        /// A sync of the log or of this file failed: its pages may be missing on the disk, and no later sync writes them.
        static let log = Flags(rawValue: 1)
        /// The same for the data file.
        static let data = Flags(rawValue: 2)
    }

    static let name = "redo.checkpoint"
    private static let slotByteCount = 4_096
    private static let flagsOffset = 8_192
    private static let byteCount = 12_288
    /// The offset of the number in a record.
    private static let numberOffset = 8

    let path: String
    private let descriptor: Int32

    /// Opens the file of a directory; nil if there is none.
    init?(in directory: String, isReadOnly: Bool) throws(LMDBError) {
        path = directory + "/" + Self.name
        guard let descriptor = try StoreFile.open(path, isReadOnly: isReadOnly) else { return nil }
        self.descriptor = descriptor
    }

    /// Creates the file of a directory with its first record. It has its name when all of it is on the disk.
    ///
    /// - Parameter data: the data file, whose owner and mode it gets.
    static func create(in directory: String, _ record: CheckpointRecord, like data: Int32) throws(LMDBError) {
        let path = directory + "/" + name
        let new = path + ".new"
        _ = unsafe unlink(new)
        let descriptor = try StoreFile.create(new, like: data)
        defer { SystemCalls.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let start = offset(of: record.number)
        bytes.replaceSubrange(start..<start + CheckpointRecord.byteCount, with: record.bytes)
        guard StoreFile.write(descriptor, bytes, at: 0, path: new), StoreFile.syncData(descriptor, path: new),
            unsafe rename(new, path) == 0, StoreFile.syncDirectory(directory)
        else {
            let code = errno
            // Without its name on the disk, a crash of the system would leave the data file without its log.
            for name in [new, path] { _ = unsafe unlink(name) }
            throw LMDBError(code: code, operation: "write", path: path)
        }
    }

    func close() { SystemCalls.close(descriptor) }

    /// When the file was last written, in seconds since 1970.
    var modificationTime: Double {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return 0 }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }

    private static func offset(of number: UInt64) -> Int { Int(number % 2) * slotByteCount }

    /// Reads the newest record; nil if no slot has a valid one.
    func newest() throws(LMDBError) -> CheckpointRecord? {
        var newest: CheckpointRecord?
        for slot in [0, 1] {
            guard
                let bytes = SystemCalls.read(
                    descriptor, at: slot * Self.slotByteCount, count: CheckpointRecord.byteCount)
            else { throw LMDBError(code: errno, operation: "read", path: path) }
            if let record = CheckpointRecord(bytes), record.number > newest?.number ?? 0 { newest = record }
        }
        return newest
    }

    /// Returns whether a newer record than this one was written. One system call.
    func hasNewer(than record: CheckpointRecord) throws(LMDBError) -> Bool {
        let offset = Self.offset(of: record.number + 1) + Self.numberOffset
        guard let bytes = SystemCalls.read(descriptor, at: offset, count: MemoryLayout<UInt64>.size) else {
            throw LMDBError(code: errno, operation: "read", path: path)
        }
        return bytes.count == MemoryLayout<UInt64>.size && bytes.integer(at: 0, as: UInt64.self) > record.number
    }

    /// Writes a record and syncs it. After a failure the file has no such record, as far as processes of this boot can see.
    func write(_ record: CheckpointRecord) throws(LMDBError) {
        let offset = Self.offset(of: record.number)
        if StoreFile.write(descriptor, record.bytes, at: offset, path: path), StoreFile.syncData(descriptor, path: path)
        {
            return
        }
        let code = errno
        let nothing = [UInt8](repeating: 0, count: CheckpointRecord.byteCount)
        guard SystemCalls.write(descriptor, nothing, at: offset) else {
            throw LMDBError(
                .panicked, operation: "write", path: path, systemCode: code,
                detail: "a checkpoint could neither be written nor taken back",
                remedy: "stop all processes that use the store, then open it again", isOutcomeUnknown: true)
        }
        // The record may be on the disk, where it would hide entries that follow now.
        try add(.log)
        throw LMDBError(code: code, operation: "write", path: path)
    }

    /// Syncs a record that another process wrote: it may have ended before its own sync.
    func sync() throws(LMDBError) {
        guard !StoreFile.syncData(descriptor, path: path) else { return }
        let code = errno
        try add(.log)
        throw LMDBError(code: code, operation: "fdatasync", path: path)
    }

    /// The flags. One system call.
    func flags() throws(LMDBError) -> Flags {
        let count = MemoryLayout<UInt32>.size
        guard let bytes = SystemCalls.read(descriptor, at: Self.flagsOffset, count: count) else {
            throw LMDBError(code: errno, operation: "read", path: path)
        }
        guard bytes.count == count else {
            throw LMDBError(
                .damaged, operation: "read", path: path, detail: "redo.checkpoint was cut",
                remedy: "stop all processes that use the store, and restore it from a copy")
        }
        return Flags(rawValue: bytes.integer(at: 0, as: UInt32.self))
    }

    /// Adds flags.
    func add(_ flags: Flags) throws(LMDBError) { try setFlags(self.flags().union(flags)) }

    /// Replaces the flags.
    func setFlags(_ flags: Flags) throws(LMDBError) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: flags.rawValue)
        guard SystemCalls.write(descriptor, bytes, at: Self.flagsOffset) else {
            throw LMDBError(code: errno, operation: "write", path: path)
        }
    }
}
