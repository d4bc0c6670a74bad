extension LMDBSnapshot {
    /// Throws `damaged` unless all pages of all databases and the free list are sound, in a read transaction. Linear in the
    /// number of pages.
    func requireSoundPages() throws(LMDBError) {
        try requireSoundPages(of: .main)
        try requireSoundFreeList()
        let context = unsafe context.takeUnretainedValue()
        let environment = unsafe context.environment.takeUnretainedValue()
        for (name, _) in context.pages.databases {
            guard let tree = try environment.tree(named: name, in: context.pages, "mdb_env_copy2") else { continue }
            unsafe try TreeCheck.requireWhole(
                tree.record, of: .records, in: context.pages, environment, "mdb_env_copy2")
        }
    }

    /// Throws `damaged` unless all pages of a database are sound, in a read transaction. Linear in the number of pages.
    package func requireSoundPages(of database: LMDBDatabase) throws(LMDBError) {
        let context = unsafe context.takeUnretainedValue()
        let record = try context.tree(of: database).record
        let environment = unsafe context.environment.takeUnretainedValue()
        unsafe try TreeCheck.requireWhole(
            record, of: database == .main ? .databases : .records, in: context.pages, environment, "verify")
    }

    /// Throws `damaged` unless the free list is sound, in a read transaction.
    package func requireSoundFreeList() throws(LMDBError) {
        let context = unsafe context.takeUnretainedValue()
        _ = unsafe try FreeListCheck.unusedPages(
            context.pages, context.environment.takeUnretainedValue(), "verify")
    }
}

extension SnapshotPages {
    /// The databases in a sound main database, with their trees.
    var databases: [(name: [UInt8], record: TreeRecord)] {
        var databases: [(name: [UInt8], record: TreeRecord)] = []
        let walk = unsafe MappedWalk.make(MappedTree(main, self))
        defer { unsafe MappedWalk.free(walk) }
        var move = unsafe walk.pointee.moveToEnd(1)
        while case .entry(let key, let value) = move {
            if value.count == TreeRecord.byteCount, let record = value.baseAddress {
                unsafe databases.append((Array(key), TreeRecord(record)))
            }
            move = unsafe walk.pointee.move(by: 1)
        }
        return databases
    }
}
