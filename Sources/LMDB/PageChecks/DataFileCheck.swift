internal import Glibc

/// Checks the trees of one commit in a data file that no environment has open.
enum DataFileCheck {
    /// Returns what is wrong with the trees of a commit; nil if nothing is.
    ///
    /// - Parameters:
    ///   - meta: the first bytes of the commit's meta page (``DataFileMeta``), which need not be in the file.
    ///   - leaves: whether leaves and large values are checked too, and that no page is used twice. Otherwise only branches and
    ///     the free list are read, and the leaves must be in the file.
    /// - Complexity: O(pages), without leaves O(branches).
    static func damage(
        _ descriptor: Int32, meta: [UInt8], leaves: Bool, path: String
    ) throws(LMDBError) -> String? {
        guard case .meta(let read) = DataFileMeta.read(meta) else { return "a meta page is damaged" }
        guard let byteCount = SystemCalls.byteCount(of: descriptor) else {
            throw LMDBError(code: errno, operation: "fstat", path: path)
        }
        // A page number that no file can have.
        guard let needed = read.neededByteCount else {
            return "its last page has the impossible number \(read.lastPage)"
        }
        let file = DataFilePages(descriptor: descriptor, pageSize: read.pageSize, byteCount: byteCount)
        guard byteCount >= needed || FreePages.cover(lastPage: read.lastPage, root: read.freeRoot, of: file) else {
            return "it has \(byteCount) bytes, and its last used page ends at byte \(needed)"
        }
        guard let map = FileMap(descriptor, fileBytes: byteCount) else {
            throw LMDBError(code: errno, operation: "mmap", path: path)
        }
        let pages = unsafe meta.withUnsafeBytes { bytes in
            // The reading above has checked the length.
            unsafe SnapshotPages(
                meta: bytes.baseAddress.unsafelyUnwrapped, in: map, pageSize: read.pageSize,
                filePages: byteCount / read.pageSize)
        }
        let found = withExtendedLifetime(map) { Self.damage(in: pages, leaves: leaves) }
        switch found {
        case nil: return nil
        case .record: return "the record of a database is damaged"
        case .page(let page): return "page \(page) is damaged"
        }
    }

    private static func damage(in pages: SnapshotPages, leaves: Bool) -> TreeCheck.Damage? {
        var used = PageSet(limit: pages.count)
        if let damage = FreeListCheck.damage(in: pages, &used) { return damage }
        // The names of the other databases are in its leaves.
        if let damage = damage(of: pages.main, .databases, leaves: true, in: pages, &used) { return damage }
        for (_, record) in pages.databases {
            guard record.flags == 0 else { continue }
            if let damage = damage(of: record, .records, leaves: leaves, in: pages, &used) { return damage }
        }
        return nil
    }

    private static func damage(
        of record: TreeRecord, _ content: TreeCheck.Content, leaves: Bool, in pages: SnapshotPages,
        _ used: inout PageSet
    ) -> TreeCheck.Damage? {
        guard leaves else { return TreeCheck.damageOfBranches(record, of: content, in: pages) }
        return unsafe TreeCheck.damage(record, of: content, in: pages, sound: { used.insert($0) })
    }
}
