internal import Glibc

/// The note of a data file about its redo log, in bytes of its first page that LMDB never uses. The files of a store know each
/// other by it.
///
/// - 512: magic text, 8 bytes;
/// - 520: 1 if commits after the last checkpoint may be in the log only (``isOpen``), otherwise 0, 4 bytes, and 4 zeros;
/// - 528: the identity of the last checkpoint, 16 bytes;
/// - 544: the identity of the checkpoint that is being made, or of the last one, 16 bytes;
/// - 560: XXH64 of the bytes before.
///
/// A sector of the disk holds all of it, and none of the bytes that LMDB writes, so it is never torn. A checkpoint writes it
/// twice: before its sync of the data file with the identity that it is going to have, and after its record is on the disk. So
/// the identity in `redo.checkpoint` is one of the two here after any crash, and in no copy of the file from another time, or of
/// another store.
struct DataFileStamp: Equatable {
    private static let offset = 512
    private static let byteCount = 56
    private static let magic: [UInt8] = Array("MSSTAMP\n".utf8)

    /// Whether the data file needs its log. A closed data file is whole by itself.
    var isOpen: Bool
    var done: CheckpointIdentity
    var begun: CheckpointIdentity

    /// The result of reading the stamp.
    enum Reading: Equatable {
        /// The data file never had a log, or it is a copy.
        case none
        case stamp(DataFileStamp)
        case damaged

        /// The stamp, if there is one.
        var stamp: DataFileStamp? { if case .stamp(let stamp) = self { stamp } else { nil } }
    }

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt64(isOpen ? 1 : 0))
        for identity in [done, begun] { identity.append(to: &bytes) }
        bytes.append(littleEndian: unsafe XXH64.hash(bytes.span.bytes))
        return bytes
    }

    private init?(_ bytes: [UInt8]) {
        let end = Self.byteCount - MemoryLayout<UInt64>.size
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic),
            unsafe XXH64.hash(bytes.span.bytes.extracting(0..<end)) == bytes.integer(at: end, as: UInt64.self)
        else { return nil }
        isOpen = bytes.integer(at: 8, as: UInt32.self) != 0
        done = CheckpointIdentity(bytes, at: 16)
        begun = CheckpointIdentity(bytes, at: 32)
    }

    init(isOpen: Bool, done: CheckpointIdentity, begun: CheckpointIdentity) {
        (self.isOpen, self.done, self.begun) = (isOpen, done, begun)
    }

    /// Reads the stamp of an open data file.
    ///
    /// - Parameter path: the directory, for errors.
    static func read(_ descriptor: Int32, path: String) throws(LMDBError) -> Reading {
        guard let bytes = SystemCalls.read(descriptor, at: offset, count: byteCount) else {
            throw LMDBError(code: errno, operation: "read", path: path)
        }
        if bytes.allSatisfy({ $0 == 0 }) { return .none }
        return DataFileStamp(bytes).map { .stamp($0) } ?? .damaged
    }

    /// Writes a stamp, or removes it for nil. Does not sync it.
    static func write(_ stamp: DataFileStamp?, _ descriptor: Int32, path: String) throws(LMDBError) {
        let bytes = stamp?.bytes ?? [UInt8](repeating: 0, count: byteCount)
        guard StoreFile.write(descriptor, bytes, at: offset, path: path + "/data.mdb") else {
            throw LMDBError(code: errno, operation: "write", path: path)
        }
    }
}

/// The identity of a checkpoint: 128 random bits.
package struct CheckpointIdentity: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64

    static func random() -> CheckpointIdentity {
        CheckpointIdentity(first: .random(in: .min ... .max), second: .random(in: .min ... .max))
    }

    private init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }

    init(_ bytes: [UInt8], at offset: Int) {
        first = bytes.integer(at: offset, as: UInt64.self)
        second = bytes.integer(at: offset + 8, as: UInt64.self)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(littleEndian: first)
        bytes.append(littleEndian: second)
    }
}
