internal import CLMDB
internal import Glibc

/// The side file of the redo log, `redo.checkpoint`: the last two checkpoints.
///
/// - 0 and 4,096: a ``CheckpointRecord`` each, and 2,048 bytes behind it a copy; checkpoint n is in the slot n modulo 2. The
///   other slot has the one before, or the same. Each record is in one sector, so damage to one of them leaves the other. A write
///   that is interrupted leaves a slot without a valid record at most until the checkpoint after it;
/// - 8,192: flags (``Flags``), one byte each. They are never synced: recovery makes up for failed syncs too.
///
/// All its blocks exist from the start, so a full disk does not matter. Only the holder of LMDB's write lock writes records and
/// clears flags. Any thread whose sync has failed sets a flag.
struct CheckpointFile {
    /// The reasons to make a checkpoint before the next write.
    struct Flags: OptionSet {
        let rawValue: Int
        /// A sync of the log or of this file failed: its pages may be missing on the disk, and no later sync writes them.
        static let log = Flags(rawValue: 1)
        /// The same for the data file, until all processes have closed the store.
        static let data = Flags(rawValue: 2)
        /// Each flag with its place behind ``CheckpointFile/flagsOffset``.
        static let all: [Flags] = [.log, .data]
    }

    static let name = "redo.checkpoint"
    private static let slotByteCount = 4_096
    /// The offset of the second copy of a record in its slot, which is in another sector of the disk.
    private static let copyOffset = 2_048
    private static let flagsOffset = 8_192
    static let byteCount = 12_288
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
        for start in [0, copyOffset, slotByteCount, slotByteCount + copyOffset] {
            bytes.replaceSubrange(start..<start + CheckpointRecord.byteCount, with: record.bytes)
        }
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

    /// Whether the file has all its bytes.
    var isWhole: Bool { SystemCalls.byteCount(of: descriptor) ?? 0 >= Self.byteCount }

    /// Whether the newest checkpoint is closed, in a file that an earlier version of ModelStore wrote; nil for another file. That
    /// version had the number at 8, and at 36 whether it is closed.
    func isEarlierClosed() throws(LMDBError) -> Bool? {
        var newest: (number: UInt64, isClosed: Bool)?
        for slot in [0, 1] {
            guard let bytes = SystemCalls.read(descriptor, at: slot * Self.slotByteCount, count: 40) else {
                throw LMDBError(code: errno, operation: "read", path: path)
            }
            guard bytes.count == 40, bytes.starts(with: CheckpointRecord.earlierMagic) else { continue }
            let number = bytes.integer(at: 8, as: UInt64.self)
            if number > newest?.number ?? 0 { newest = (number, bytes.integer(at: 36, as: UInt32.self) != 0) }
        }
        return newest?.isClosed
    }

    /// Reads the newest record; nil if no slot has a valid one.
    func newest() throws(LMDBError) -> CheckpointRecord? { try records().newest }

    /// Reads the newest record, and how the slot without it is.
    func records() throws(LMDBError) -> (newest: CheckpointRecord?, other: Slot) {
        var attemptsLeft = 3
        while true {
            let slots = [try read(slot: 0), try read(slot: Self.slotByteCount)]
            attemptsLeft -= 1
            // Another process may be writing one.
            if slots.contains(where: { $0.record == nil }), attemptsLeft > 0 { continue }
            let newest = slots.compactMap(\.record).max { $0.number < $1.number }
            return (newest, slots.first { $0.record == nil } ?? .record(slots[0].record ?? slots[1].record))
        }
    }

    /// The content of a slot.
    enum Slot {
        case record(CheckpointRecord?)
        /// Bytes that are no record, as an interrupted write leaves them.
        case torn
        /// Zeros. A slot has a record from the beginning, so something else wrote them.
        case blank

        var record: CheckpointRecord? { if case .record(let record) = self { record } else { nil } }
    }

    private func read(slot: Int) throws(LMDBError) -> Slot {
        var isBlank = true
        var newest: CheckpointRecord?
        for offset in [slot, slot + Self.copyOffset] {
            guard let bytes = SystemCalls.read(descriptor, at: offset, count: CheckpointRecord.byteCount) else {
                throw LMDBError(code: errno, operation: "read", path: path)
            }
            isBlank = isBlank && bytes.allSatisfy { $0 == 0 }
            if let record = CheckpointRecord(bytes), record.number > newest?.number ?? 0 { newest = record }
        }
        if let newest { return .record(newest) }
        return isBlank ? .blank : .torn
    }

    /// Writes both copies of a record to a slot; false (and `errno`) on failure.
    private func put(_ record: CheckpointRecord, slot: Int) -> Bool {
        [slot, slot + Self.copyOffset].allSatisfy {
            StoreFile.write(descriptor, record.bytes, at: $0, path: path)
        }
    }

    /// Returns whether a newer record than this one was written. One system call.
    ///
    /// Looks at both slots: the newest record is in the other one after a record was taken back.
    func hasNewer(than record: CheckpointRecord) throws(LMDBError) -> Bool {
        let count = Self.slotByteCount + MemoryLayout<UInt64>.size
        guard let bytes = SystemCalls.read(descriptor, at: Self.numberOffset, count: count) else {
            throw LMDBError(code: errno, operation: "read", path: path)
        }
        guard bytes.count == count else { return false }
        return [0, Self.slotByteCount].contains { bytes.integer(at: $0, as: UInt64.self) > record.number }
    }

    /// Writes a record and syncs it. After a failure, the slot has the record before, as far as running processes can see.
    func write(_ record: CheckpointRecord) throws(LMDBError) {
        let offset = Self.offset(of: record.number)
        if put(record, slot: offset), StoreFile.syncData(descriptor, path: path) { return }
        let code = errno
        // First: the record may be on the disk, where it would hide entries that follow, also if this process is killed now.
        let isFlagged = (try? add(.log)) != nil
        let before = (try? read(slot: Self.slotByteCount - offset))?.record
        guard let before, put(before, slot: offset), isFlagged else {
            throw LMDBError(
                .panicked, operation: "write", path: path, systemCode: code,
                detail: "a checkpoint could neither be written nor taken back",
                remedy: "stop all processes that use the store, then open it again", isOutcomeUnknown: true)
        }
        throw LMDBError(code: code, operation: "write", path: path)
    }

    /// Makes sure that the newest record is on the disk. Another process may have been killed before its sync, or after a sync
    /// that failed, and no later sync would write it then. So it is written once more.
    func confirm(_ record: CheckpointRecord) throws(LMDBError) {
        let isWritten = put(record, slot: Self.offset(of: record.number))
        guard !isWritten || !StoreFile.syncData(descriptor, path: path) else { return }
        let code = errno
        try add(.log)
        throw LMDBError(code: code, operation: "fdatasync", path: path)
    }

    /// The flags. One system call.
    func flags() throws(LMDBError) -> Flags {
        guard let bytes = SystemCalls.read(descriptor, at: Self.flagsOffset, count: Flags.all.count) else {
            throw LMDBError(code: errno, operation: "read", path: path)
        }
        guard bytes.count == Flags.all.count else {
            throw LMDBError(
                .filesRemoved, operation: "read", path: path,
                detail: "redo.checkpoint was cut while the store was open",
                remedy: "close the store in all processes, then open it again")
        }
        return zip(Flags.all, bytes).reduce(into: Flags()) { if $1.1 != 0 { $0.insert($1.0) } }
    }

    /// Sets a flag. It is there for all processes when this returns.
    func add(_ flag: Flags) throws(LMDBError) {
        for (index, other) in Flags.all.enumerated() where flag.contains(other) { try write([1], at: index) }
    }

    /// Removes all flags.
    func clearFlags() throws(LMDBError) { try write(Flags.all.map { _ in 0 }, at: 0) }

    private func write(_ bytes: [UInt8], at index: Int) throws(LMDBError) {
        guard SystemCalls.write(descriptor, bytes, at: Self.flagsOffset + index) else {
            throw LMDBError(code: errno, operation: "write", path: path)
        }
    }
}
