/// What LMDB stores of the tree of a database: in the meta pages for the free list and the main database, and in the main
/// database for all others.
///
/// Offsets in the 48 bytes:
///
/// - 4: flags (2 bytes);
/// - 6: the depth (2 bytes);
/// - 8, 16, 24 and 32: the numbers of branch pages, of leaves, of pages of large values, and of entries;
/// - 40: the root's page number.
struct TreeRecord {
    static let byteCount = 48
    /// The most pages from a root to a leaf. LMDB's cursors have no room for more.
    private static let maximumDepth = 32

    let flags: UInt16
    /// How many pages lead to an entry, including the root and the leaf.
    let depth: Int
    let branchPages: Int
    let leafPages: Int
    let overflowPages: Int
    let entries: Int
    let root: UInt64

    /// An empty tree.
    init() {
        (flags, depth, branchPages, leafPages, overflowPages, entries, root) = (0, 0, 0, 0, 0, 0, MappedPage.none)
    }

    /// Reads a record of ``byteCount`` bytes.
    init(_ bytes: UnsafeRawPointer) {
        flags = unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        depth = Int(unsafe bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        branchPages = Int(truncatingIfNeeded: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        leafPages = Int(truncatingIfNeeded: unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        overflowPages = Int(truncatingIfNeeded: unsafe bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        entries = Int(truncatingIfNeeded: unsafe bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
        root = unsafe bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    }

    /// Returns the ``byteCount`` bytes of the record.
    ///
    /// - Parameter firstWord: the page size for the free list, 0 for other trees.
    func bytes(firstWord: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: firstWord)
        bytes.append(littleEndian: flags)
        bytes.append(littleEndian: UInt16(depth))
        for number in [branchPages, leafPages, overflowPages, entries] { bytes.append(littleEndian: number) }
        bytes.append(littleEndian: root)
        return bytes
    }

    /// Whether the keys are integers, and nothing else is special, as in the free list. There, the flags contain those of the
    /// environment too.
    var hasIntegerKeys: Bool {
        let flagsOfDatabases: UInt16 = 0x7E
        return flags & flagsOfDatabases == 0x08
    }

    /// Returns whether a tree can be so: the depth fits the root, it has no more pages than its snapshot, and no more entries
    /// than fit into its leaves.
    func isSound(in pages: SnapshotPages) -> Bool {
        guard root == MappedPage.none ? depth == 0 : 1...Self.maximumDepth ~= depth else { return false }
        let most = Int(clamping: pages.count)
        guard [branchPages, leafPages, overflowPages].allSatisfy({ 0...most ~= $0 }),
            branchPages + leafPages + overflowPages <= most
        else { return false }
        return entries >= 0 && entries / MappedPage.mostEntries(size: pages.pageSize) <= leafPages
    }
}
