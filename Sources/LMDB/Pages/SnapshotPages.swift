/// The pages of one snapshot in the map of its process, and where its trees begin.
///
/// The map must live as long as this value is used.
@safe
struct SnapshotPages {
    /// The number of the transaction that made the snapshot; -1 for none.
    private(set) var transactionID = -1
    /// The beginning of the map.
    private(set) var base: UnsafeRawPointer
    private(set) var pageSize = 0
    /// Pages with this number and later ones are not in the file.
    private(set) var limit: UInt64 = 0
    /// How many pages the snapshot has. The last ones may not be in the file, if nothing was ever written to them.
    private(set) var count: UInt64 = 0
    private(set) var freeList = TreeRecord()
    private(set) var main = TreeRecord()

    /// Pages of no snapshot.
    init() {
        // Never read: there are no pages below the limit.
        unsafe base = UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    }

    /// The pages that a meta page leads to.
    ///
    /// - Parameters:
    ///   - meta: the first bytes of the page (``DataFileMeta``), in the map or elsewhere.
    ///   - filePages: how many pages the file has.
    init(meta: UnsafeRawPointer, in map: FileMap, pageSize: Int, filePages: Int) {
        transactionID = unsafe Self.transactionNumber(meta)
        unsafe base = map.base
        self.pageSize = pageSize
        unsafe freeList = TreeRecord(meta + 40)
        unsafe main = TreeRecord(meta + 88)
        let last = unsafe meta.loadUnaligned(fromByteOffset: 136, as: UInt64.self)
        count = last &+ 1
        let available = UInt64(min(filePages, map.byteCount / pageSize))
        limit = last < available ? last + 1 : available
    }

    /// The result of reading a meta page.
    @safe
    enum Reading {
        case found(SnapshotPages)
        /// The page is of another commit, or a commit may be writing to it.
        case unsettled
    }

    /// Reads a snapshot's meta page.
    ///
    /// Commits alternate between the two meta pages. The commit after the next one writes to the page of a snapshot. If the other
    /// page already has the next commit, that could be happening now.
    ///
    /// - Parameters:
    ///   - isSettled: whether no later commit than the next one can have begun.
    ///   - filePages: how many pages the file has.
    static func read(_ transactionID: Int, in map: FileMap, pageSize: Int, isSettled: Bool, filePages: Int) -> Reading {
        let page = unsafe map.base + (transactionID & 1) * pageSize
        let other = unsafe map.base + (1 - transactionID & 1) * pageSize
        guard unsafe transactionNumber(page) == transactionID else { return .unsettled }
        let pages = unsafe SnapshotPages(meta: page, in: map, pageSize: pageSize, filePages: filePages)
        guard unsafe isSettled || transactionNumber(other) != transactionID + 1 else { return .unsettled }
        return .found(pages)
    }

    /// Returns the number of the last page of a meta page's commit.
    static func lastPage(_ transactionID: Int, in map: FileMap, pageSize: Int) -> UInt64 {
        unsafe (map.base + (transactionID & 1) * pageSize).loadUnaligned(fromByteOffset: 136, as: UInt64.self)
    }

    /// The size of the map that the store asks for, in bytes. Each meta page has the greatest so far, so it does not matter which
    /// commit wrote it.
    var mapSize: UInt64 {
        unsafe count == 0
            ? 0 : (base + (transactionID & 1) * pageSize).loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    }

    private static func transactionNumber(_ page: UnsafeRawPointer) -> Int {
        Int(truncatingIfNeeded: unsafe page.loadUnaligned(fromByteOffset: 144, as: UInt64.self))
    }

    /// Returns a page; nil if no page has this number.
    @inline(__always)
    func page(_ number: UInt64) -> UnsafeRawPointer? {
        unsafe number < limit ? base + Int(number) * pageSize : nil
    }
}
