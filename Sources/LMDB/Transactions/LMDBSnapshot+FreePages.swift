extension LMDBSnapshot {
    /// Returns the number of pages in the free list. LMDB's free list is a database of its own. Under the number of each
    /// transaction that freed pages, it has a count and that many page numbers.
    ///
    /// - Parameter transactionID: counts only pages that later transactions freed. A reader of the snapshot with this number
    ///   keeps writers from using them.
    /// - Complexity: O(*n*) in the number of these transactions.
    package func freePageCount(freedAfter transactionID: Int = 0) throws(LMDBError) -> Int {
        var cursor = try openCursor(LMDBDatabase.freeList)
        var count = 0
        var isPositioned = try cursor.last()
        while isPositioned {
            guard let list = Self.list(key: cursor.key, value: cursor.value) else { throw Self.damagedFreeList }
            if list.transactionID <= UInt64(transactionID) { return count }
            count += list.count
            isPositioned = try cursor.previous()
        }
        return count
    }

    /// Returns the number of the transaction that freed a list of pages, and how many pages the list has; nil if it is damaged.
    private static func list(key: RawSpan, value: RawSpan) -> (transactionID: UInt64, count: Int)? {
        guard key.byteCount == 8, value.byteCount >= 8 else { return nil }
        let count = unsafe value.unsafeLoadUnaligned(as: UInt64.self)
        guard count <= UInt64(value.byteCount / 8) else { return nil }
        return (unsafe key.unsafeLoadUnaligned(as: UInt64.self), Int(count))
    }

    private static var damagedFreeList: LMDBError {
        LMDBError(
            .damaged, operation: "mdb_cursor_get", detail: "the list of free pages is damaged",
            remedy: "restore a backup")
    }
}
