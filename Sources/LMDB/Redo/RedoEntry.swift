/// An entry of the redo log: one commit.
///
/// - 0: tag, which follows from the secret of the log (``SipHash``);
/// - 8: length of the operations, 4 bytes;
/// - 12: 1 if the commit is in the data file only (``isInDataFile``), otherwise 0, 4 bytes;
/// - 16: LMDB's number of the transaction;
/// - 24: up to which address the log was certainly on the disk when the entry was written (``RedoTail/durableAddress``);
/// - 32: ``RedoTail/relaxedSince``;
/// - 40: checksum of the entry before, or the number with which the log begins;
/// - 48: checksum of the operations;
/// - 56: checksum of the bytes 0 to 55;
/// - 64: the operations (``RedoOperations``), and zeros up to a multiple of 8 bytes.
///
/// Integers have 8 bytes, where nothing else is said, and are little-endian. Both checksums are keyed with the secret. A header
/// has its own, so that looking for entries does not read what only looks like one.
struct RedoEntry: Equatable {
    static let headerByteCount = 64
    private static let checksumOffset = 56
    static let alignment = 8

    private(set) var operationByteCount = 0
    /// Whether the entry has no operations, because LMDB itself makes the commit durable. It stands for a commit only if the data
    /// file has that commit.
    let isInDataFile: Bool
    let transaction: UInt64
    let durableAddress: UInt64
    let relaxedSince: UInt64
    let previous: UInt64
    private var operationsChecksum: UInt64 = 0
    private(set) var checksum: UInt64 = 0

    init(transaction: UInt64, after tail: RedoTail, relaxedSince: UInt64, isInDataFile: Bool = false) {
        self.transaction = transaction
        self.isInDataFile = isInDataFile
        durableAddress = tail.durableAddress
        self.relaxedSince = relaxedSince
        previous = tail.chain
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
    func sealing(_ bytes: inout [UInt8], _ secret: SipHash) -> RedoEntry {
        var entry = self
        entry.operationByteCount = bytes.count - Self.headerByteCount
        entry.operationsChecksum = unsafe secret.hash(bytes.span.bytes.extracting(Self.headerByteCount...))
        var header: [UInt8] = []
        header.reserveCapacity(Self.headerByteCount)
        header.append(littleEndian: secret.tag)
        header.append(littleEndian: UInt32(entry.operationByteCount))
        header.append(littleEndian: UInt32(isInDataFile ? 1 : 0))
        for value in [transaction, durableAddress, relaxedSince, previous, entry.operationsChecksum] {
            header.append(littleEndian: value)
        }
        entry.checksum = unsafe secret.hash(header.span.bytes)
        header.append(littleEndian: entry.checksum)
        bytes.replaceSubrange(0..<Self.headerByteCount, with: header)
        bytes.append(contentsOf: repeatElement(0, count: entry.byteCount - bytes.count))
        return entry
    }

    /// Reads a header; nil if there is none. The operations are not checked.
    init?(header bytes: [UInt8], at offset: Int = 0, _ secret: SipHash, tag: UInt64) {
        guard offset >= 0, bytes.count - offset >= Self.headerByteCount,
            bytes.integer(at: offset, as: UInt64.self) == tag
        else { return nil }
        checksum = bytes.integer(at: offset + Self.checksumOffset, as: UInt64.self)
        let header = unsafe bytes.span.bytes.extracting(offset..<offset + Self.checksumOffset)
        guard secret.hash(header) == checksum else { return nil }
        operationByteCount = Int(bytes.integer(at: offset + 8, as: UInt32.self))
        isInDataFile = bytes.integer(at: offset + 12, as: UInt32.self) != 0
        transaction = bytes.integer(at: offset + 16, as: UInt64.self)
        durableAddress = bytes.integer(at: offset + 24, as: UInt64.self)
        relaxedSince = bytes.integer(at: offset + 32, as: UInt64.self)
        previous = bytes.integer(at: offset + 40, as: UInt64.self)
        operationsChecksum = bytes.integer(at: offset + 48, as: UInt64.self)
    }

    /// Returns whether the operations behind the header are those of the entry.
    func hasOperations(in bytes: [UInt8], at offset: Int, _ secret: SipHash) -> Bool {
        let start = offset + Self.headerByteCount
        guard bytes.count - start >= operationByteCount else { return false }
        return unsafe secret.hash(bytes.span.bytes.extracting(start..<start + operationByteCount))
            == operationsChecksum
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

extension SipHash {
    /// The first 8 bytes of each entry of the redo log that has this secret, by which entries are found.
    var tag: UInt64 {
        let text: StaticString = "entry of a redo log"
        return unsafe hash(
            RawSpan(_unsafeStart: UnsafeRawPointer(text.utf8Start), byteCount: text.utf8CodeUnitCount))
    }
}
