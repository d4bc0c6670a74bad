internal import CLMDB

/// Checks the free list: a tree whose keys are the numbers of transactions, and whose values list the pages that these freed.
enum FreeListCheck {
    /// Returns the pages in the free list. Throws unless all its pages are sound and list each page once.
    static func unusedPages(
        _ pages: SnapshotPages, _ environment: LMDBEnvironment, _ operation: StaticString
    ) throws(LMDBError) -> PageSet {
        // The numbers of pages that were never written are in the list too.
        var unused = PageSet(limit: pages.count)
        switch damage(in: pages, &unused) {
        case nil: return unused
        case .record: throw environment.damaged(nil, operation)
        case .page(let page): throw environment.damaged(page, operation)
        }
    }

    /// Adds the pages in the free list to a set, and returns the first damage of the list.
    static func damage(in pages: SnapshotPages, _ unused: inout PageSet) -> TreeCheck.Damage? {
        guard pages.freeList.hasIntegerKeys else { return .record }
        return unsafe TreeCheck.damage(
            pages.freeList, of: .freePages, in: pages,
            leaf: { page, count in
                (0..<count).allSatisfy { unsafe isSound($0, of: page, in: pages, &unused) }
            })
    }

    /// Returns whether an entry lists pages in descending order that no other entry lists.
    private static func isSound(
        _ index: Int, of page: UnsafeRawPointer, in pages: SnapshotPages, _ unused: inout PageSet
    ) -> Bool {
        let tree = MappedTree(pages.freeList, pages)
        guard let entry = unsafe MappedPage.entry(index, of: page, size: pages.pageSize),
            let value = unsafe tree.value(entry, of: page), value.count >= MemoryLayout<UInt64>.size
        else { return false }
        let count = unsafe value.loadUnaligned(as: UInt64.self)
        guard count < UInt64(value.count / MemoryLayout<UInt64>.size) else { return false }
        var last = pages.count
        for number in 0..<Int(count) {
            let offset = (number + 1) * MemoryLayout<UInt64>.size
            let free = unsafe value.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard free > 1, free < last, unused.insert(free) else { return false }
            last = free
        }
        return true
    }
}
