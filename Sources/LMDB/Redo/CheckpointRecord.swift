/// A checkpoint: a commit whose pages are on the disk, the meta page that leads to them, and where the log continues.
///
/// - 0: magic text, 8 bytes;
/// - 8: number, which each checkpoint increments;
/// - 16: identity, 16 bytes, which the data file has too (``DataFileStamp``);
/// - 32: secret of the log, 16 bytes (``SipHash``);
/// - 48: size of the data file's pages, 4 bytes;
/// - 52: 1 if the log has no commit and the next writer makes another checkpoint first (``isClosed``), otherwise 0, 4 bytes;
/// - 56: the end of the log at the checkpoint (``RedoTail``): offset, address, checksum, transaction, and
///   ``RedoTail/relaxedSince``;
/// - 96: the first 152 bytes of the commit's meta page (``DataFileMeta``);
/// - 248: XXH64 of the bytes before.
///
/// Integers have 8 bytes, where nothing else is said, and are little-endian. All of it is in one sector of the disk.
package struct CheckpointRecord: Equatable, Sendable {
    package static let byteCount = 256
    private static let magic: [UInt8] = Array("MSREDO2\n".utf8)
    /// The magic text of a file that an earlier version of ModelStore wrote.
    static let earlierMagic: [UInt8] = Array("MSREDO1\n".utf8)
    /// The beginnings of the side files of all versions.
    static let magics = [magic, earlierMagic]
    private static let metaOffset = 96

    package let number: UInt64
    let identity: CheckpointIdentity
    let secret: SipHash
    package let pageSize: Int
    /// Whether the data file is whole without the log. Until the next checkpoint only LMDB's own syncs change it, also if another
    /// program writes to it.
    package let isClosed: Bool
    /// The end of the log, from which it continues.
    let tail: RedoTail
    /// The first bytes of the commit's meta page.
    let meta: [UInt8]

    /// The transaction of the newest commit in the checkpoint.
    package var transaction: UInt64 { tail.transaction }

    init(
        number: UInt64, secret: SipHash, pageSize: Int, isClosed: Bool, tail: RedoTail, meta: [UInt8],
        identity: CheckpointIdentity = .random()
    ) {
        self.number = number
        self.identity = identity
        self.secret = secret
        self.pageSize = pageSize
        self.isClosed = isClosed
        self.tail = tail
        self.meta = meta
    }

    /// The record as bytes.
    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: number)
        identity.append(to: &bytes)
        bytes.append(littleEndian: secret.low)
        bytes.append(littleEndian: secret.high)
        bytes.append(littleEndian: UInt32(pageSize))
        bytes.append(littleEndian: UInt32(isClosed ? 1 : 0))
        let tail = [UInt64(tail.offset), tail.address, tail.chain, tail.transaction, tail.relaxedSince]
        for value in tail { bytes.append(littleEndian: value) }
        bytes += meta.prefix(DataFileMeta.byteCount)
        bytes.append(littleEndian: unsafe XXH64.hash(bytes.span.bytes))
        return bytes
    }

    /// Reads a record whose checksum fits; nil if there is none.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        let end = Self.byteCount - MemoryLayout<UInt64>.size
        guard unsafe XXH64.hash(bytes.span.bytes.extracting(0..<end)) == bytes.integer(at: end, as: UInt64.self),
            let offset = Int(exactly: bytes.integer(at: 56, as: UInt64.self)), offset <= RedoLimits.greatestLogByteCount
        else { return nil }
        number = bytes.integer(at: 8, as: UInt64.self)
        identity = CheckpointIdentity(bytes, at: 16)
        secret = SipHash(
            low: bytes.integer(at: 32, as: UInt64.self), high: bytes.integer(at: 40, as: UInt64.self))
        pageSize = Int(bytes.integer(at: 48, as: UInt32.self))
        isClosed = bytes.integer(at: 52, as: UInt32.self) != 0
        let address = bytes.integer(at: 64, as: UInt64.self)
        tail = RedoTail(
            offset: offset, address: address, durableAddress: address, chain: bytes.integer(at: 72, as: UInt64.self),
            transaction: bytes.integer(at: 80, as: UInt64.self), relaxedSince: bytes.integer(at: 88, as: UInt64.self))
        meta = Array(bytes[Self.metaOffset..<Self.metaOffset + DataFileMeta.byteCount])
        guard case .meta(let found) = DataFileMeta.read(meta), found.pageSize == pageSize,
            found.transactionID == tail.transaction
        else { return nil }
    }
}
