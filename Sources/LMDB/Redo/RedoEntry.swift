/// An entry of the redo log: one commit.
///
/// - 0: magic, 4 bytes;
/// - 4: length of the operations, 4 bytes;
/// - 8: number of the checkpoint that the entry follows;
/// - 16: LMDB's number of the transaction;
/// - 24: how many bytes of the log were certainly on the disk when the entry was written;
/// - 32: checksum of the entry before, or the salt of the checkpoint for the first one;
/// - 40: checksum: XXH64 of the operations, seeded with XXH64 of the bytes 0 to 39, which is seeded with the bytes 32 to 39;
/// - 48: the operations (``RedoOperations``), and zeros up to a multiple of 8 bytes.
///
/// Integers have 8 bytes, where nothing else is said, and are little-endian.
struct RedoEntry: Equatable {
    static let headerByteCount = 48
    private static let magic: UInt32 = 0x4F44_4552
    private static let checksumOffset = 40
    static let alignment = 8

    var operationByteCount = 0
    let checkpoint: UInt64
    let transaction: UInt64
    let durableByteCount: UInt64
    let previous: UInt64
    private(set) var checksum: UInt64 = 0

    init(checkpoint: UInt64, transaction: UInt64, durableByteCount: UInt64, previous: UInt64) {
        self.checkpoint = checkpoint
        self.transaction = transaction
        self.durableByteCount = durableByteCount
        self.previous = previous
    }

    /// The length in the log.
    var byteCount: Int { Self.byteCount(ofOperations: operationByteCount) }

    /// The length of an entry with operations of this length.
    static func byteCount(ofOperations count: Int) -> Int {
        (headerByteCount + count + alignment - 1) / alignment * alignment
    }

    /// Writes the header before operations that have room for it, and completes the bytes.
    ///
    /// - Returns: the entry as it stands in the bytes.
    func sealing(_ bytes: inout [UInt8]) -> RedoEntry {
        var entry = self
        entry.operationByteCount = bytes.count - Self.headerByteCount
        var header: [UInt8] = []
        header.append(littleEndian: Self.magic)
        header.append(littleEndian: UInt32(entry.operationByteCount))
        for value in [checkpoint, transaction, durableByteCount, previous] { header.append(littleEndian: value) }
        bytes.replaceSubrange(0..<header.count, with: header)
        entry.checksum = Self.checksum(bytes, 0, entry.operationByteCount)
        var checksum: [UInt8] = []
        checksum.append(littleEndian: entry.checksum)
        bytes.replaceSubrange(Self.checksumOffset..<Self.headerByteCount, with: checksum)
        bytes.append(contentsOf: repeatElement(0, count: entry.byteCount - bytes.count))
        return entry
    }

    /// Reads a header; nil if there is none. The operations are not checked.
    ///
    /// - Parameter bytes: at least ``headerByteCount`` bytes from the offset.
    init?(header bytes: [UInt8], at offset: Int = 0) {
        guard bytes.count - offset >= Self.headerByteCount,
            bytes.integer(at: offset, as: UInt32.self) == Self.magic
        else { return nil }
        operationByteCount = Int(bytes.integer(at: offset + 4, as: UInt32.self))
        checkpoint = bytes.integer(at: offset + 8, as: UInt64.self)
        transaction = bytes.integer(at: offset + 16, as: UInt64.self)
        durableByteCount = bytes.integer(at: offset + 24, as: UInt64.self)
        previous = bytes.integer(at: offset + 32, as: UInt64.self)
        checksum = bytes.integer(at: offset + Self.checksumOffset, as: UInt64.self)
    }

    /// Reads an entry whose checksum fits; nil if there is none.
    init?(in bytes: [UInt8], at offset: Int) {
        self.init(header: bytes, at: offset)
        guard bytes.count - offset >= byteCount, checksum == Self.checksum(bytes, offset, operationByteCount) else {
            return nil
        }
    }

    private static func checksum(_ bytes: [UInt8], _ offset: Int, _ operationByteCount: Int) -> UInt64 {
        let span = unsafe bytes.span.bytes
        let previous = bytes.integer(at: offset + 32, as: UInt64.self)
        let header = XXH64.hash(span.extracting(offset..<offset + checksumOffset), seed: previous)
        let start = offset + headerByteCount
        return XXH64.hash(span.extracting(start..<start + operationByteCount), seed: header)
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}
