/// A checkpoint: a commit whose pages are on the disk, and the meta pages that lead to them.
///
/// - 0: magic text, 8 bytes;
/// - 8: number, which each checkpoint increments;
/// - 16: LMDB's number of the newest transaction in it;
/// - 24: salt, a random number that the log's first entry continues;
/// - 32: size of the data file's pages, 4 bytes;
/// - 36: 1 if no process held a pin (``isClosed``), otherwise 0, 4 bytes;
/// - 40: the kernel's boot id as text, 40 bytes filled with zeros;
/// - 80: the first 152 bytes of both meta pages (``DataFileMeta``);
/// - 384: XXH64 of the bytes before.
///
/// Integers have 8 bytes, where nothing else is said, and are little-endian.
package struct CheckpointRecord: Equatable, Sendable {
    package static let byteCount = 392
    private static let magic: [UInt8] = Array("MSREDO1\n".utf8)
    private static let bootOffset = 40
    private static let bootByteCount = 40

    package let number: UInt64
    package let transaction: UInt64
    package let salt: UInt64
    package let pageSize: Int
    /// Whether no process held a pin when the record was written. The next writer makes another checkpoint first, so until then only
    /// LMDB's own syncs change the data file: it is whole without the log, also if another program has written to it.
    package let isClosed: Bool
    /// The boot of the system in which the record was written.
    package var boot: String
    /// The first bytes of both meta pages.
    package let metas: [[UInt8]]

    /// Creates the record of a checkpoint that is made now.
    init(number: UInt64, transaction: UInt64, pageSize: Int, isClosed: Bool, metas: [[UInt8]]) {
        self.number = number
        self.transaction = transaction
        self.pageSize = pageSize
        self.isClosed = isClosed
        self.metas = metas
        salt = .random(in: .min ... .max)
        boot = BootIdentity.current
        lastPage = Self.lastPage(metas)
    }

    /// The last page of the data file that the checkpoint uses.
    let lastPage: Int

    private static func lastPage(_ metas: [[UInt8]]) -> Int {
        let pages = metas.compactMap { DataFileMeta.read($0).meta }
        return Int(clamping: pages.max { $0.transactionID < $1.transactionID }?.lastPage ?? 0)
    }

    /// The record as bytes.
    package var bytes: [UInt8] {
        var bytes = Self.magic
        for value in [number, transaction, salt] { bytes.append(littleEndian: value) }
        bytes.append(littleEndian: UInt32(pageSize))
        bytes.append(littleEndian: UInt32(isClosed ? 1 : 0))
        let text = Array(boot.utf8.prefix(Self.bootByteCount))
        bytes += text + [UInt8](repeating: 0, count: Self.bootByteCount - text.count)
        for meta in metas { bytes += meta.prefix(DataFileMeta.byteCount) }
        bytes.append(littleEndian: unsafe XXH64.hash(bytes.span.bytes))
        return bytes
    }

    /// Reads a record whose checksum fits; nil if there is none.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        let end = Self.byteCount - MemoryLayout<UInt64>.size
        let checksum = unsafe XXH64.hash(bytes.span.bytes.extracting(0..<end))
        guard checksum == bytes.integer(at: end, as: UInt64.self) else { return nil }
        number = bytes.integer(at: 8, as: UInt64.self)
        transaction = bytes.integer(at: 16, as: UInt64.self)
        salt = bytes.integer(at: 24, as: UInt64.self)
        pageSize = Int(bytes.integer(at: 32, as: UInt32.self))
        isClosed = bytes.integer(at: 36, as: UInt32.self) != 0
        let text = bytes[Self.bootOffset..<Self.bootOffset + Self.bootByteCount].prefix { $0 != 0 }
        boot = String(decoding: text, as: UTF8.self)
        let start = Self.bootOffset + Self.bootByteCount
        metas = [0, 1].map { index in
            let offset = start + index * DataFileMeta.byteCount
            return Array(bytes[offset..<offset + DataFileMeta.byteCount])
        }
        lastPage = Self.lastPage(metas)
    }
}
