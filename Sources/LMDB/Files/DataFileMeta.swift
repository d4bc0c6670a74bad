/// One of the two meta pages at the start of `data.mdb`, read as plain bytes.
///
/// Offsets in the page:
///
/// - 0: a header of 16 bytes, with flags at 10;
/// - 16: magic;
/// - 20: version;
/// - 32: map size;
/// - 40 and 88: two database records of 48 bytes;
/// - 136: last page;
/// - 144: transaction.
///
/// The records are those of the free list and the main database. The first word of the first record is the page size; the last
/// word of each is the root of its tree.
struct DataFileMeta: Equatable {
    static let byteCount = 152
    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    static let largestPage = 65_536
    /// The number that stands for no page.
    private static let noPage = UInt64.max
    private static let metaFlag: UInt16 = 0x08

    var pageSize: Int
    var mapSize: UInt64
    var freeRoot: UInt64
    var mainRoot: UInt64
    var lastPage: UInt64
    var transactionID: UInt64

    /// The result of reading a meta page.
    enum Reading: Equatable {
        case meta(DataFileMeta)
        case otherVersion(UInt32)
        case otherByteOrder
        case notMeta
        case damaged(String)

        /// The meta page, if it is one.
        var meta: DataFileMeta? { if case .meta(let meta) = self { meta } else { nil } }
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        guard bytes.count >= 24 else { return .notMeta }
        let found = bytes.integer(at: 16, as: UInt32.self)
        if found == magic.byteSwapped { return .otherByteOrder }
        guard found == magic else { return .notMeta }
        let foundVersion = bytes.integer(at: 20, as: UInt32.self)
        guard foundVersion == version else { return .otherVersion(foundVersion) }
        guard bytes.count >= byteCount else { return .damaged("it ends inside a meta page") }
        guard bytes.integer(at: 10, as: UInt16.self) & metaFlag != 0 else {
            return .damaged("a meta page lacks the mark of a meta page")
        }
        let pageSize = Int(bytes.integer(at: 40, as: UInt32.self))
        guard pageSize >= 512, pageSize <= largestPage, pageSize.nonzeroBitCount == 1 else {
            return .damaged("its page size, \(pageSize), is not valid")
        }
        let transactionID = bytes.integer(at: 144, as: UInt64.self)
        guard transactionID <= UInt64(largestTransactionID) else {
            return .damaged("its newest transaction has the impossible number \(transactionID)")
        }
        return .meta(
            DataFileMeta(
                pageSize: pageSize,
                mapSize: bytes.integer(at: 32, as: UInt64.self),
                freeRoot: bytes.integer(at: 80, as: UInt64.self),
                mainRoot: bytes.integer(at: 128, as: UInt64.self),
                lastPage: bytes.integer(at: 136, as: UInt64.self),
                transactionID: transactionID
            ))
    }

    /// Returns the first bytes of a snapshot's meta page. They are built from the parts that the snapshot has read, because a
    /// later commit can overwrite the page in the file at any moment.
    static func bytes(of pages: SnapshotPages) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(0))
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: metaFlag)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: version)
        // The address of a map at a fixed place, which no store has.
        bytes.append(littleEndian: UInt64(0))
        bytes.append(littleEndian: pages.mapSize)
        bytes += pages.freeList.bytes(firstWord: UInt32(pages.pageSize))
        bytes += pages.main.bytes(firstWord: 0)
        bytes.append(littleEndian: pages.count &- 1)
        bytes.append(littleEndian: UInt64(0))
        return renumbered(bytes, page: pages.transactionID & 1, transaction: UInt64(pages.transactionID))
    }

    /// Returns the first bytes of a meta page for another place and transaction.
    ///
    /// - Parameter page: 0 or 1.
    static func renumbered(_ bytes: [UInt8], page: Int, transaction: UInt64) -> [UInt8] {
        var bytes = bytes
        for (offset, value) in [(0, UInt64(page)), (144, transaction)] {
            var integer: [UInt8] = []
            integer.append(littleEndian: value)
            bytes.replaceSubrange(offset..<offset + integer.count, with: integer)
        }
        return bytes
    }

    /// The largest number of a transaction. No store reaches it, and calculations with it cannot overflow.
    static let largestTransactionID = 1 << 62

    /// Whether the page is in its initial state, before the first commit.
    var isInitial: Bool {
        transactionID == 0 && lastPage == 1 && freeRoot == Self.noPage && mainRoot == Self.noPage
    }

    /// The size of the file if all its pages have been written; nil if no file can be that long.
    var neededByteCount: Int? {
        let (bytes, overflows) = (lastPage &+ 1).multipliedReportingOverflow(by: UInt64(pageSize))
        return overflows || lastPage == .max ? nil : Int(exactly: bytes)
    }
}

extension [UInt8] {
    /// Returns an integer in this machine's byte order, in which LMDB writes integers.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        // It checks the bounds.
        unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }
}
