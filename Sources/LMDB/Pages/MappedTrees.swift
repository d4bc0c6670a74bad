internal import CLMDB
internal import Synchronization

/// The trees that a read transaction has looked up, by the handles of their databases.
///
/// Finding a tree's root costs a lookup in the main database. Read transactions are pooled. They keep the trees until a commit
/// changes the snapshot.
struct MappedTrees {
    private struct Entry {
        /// The snapshot, by its transaction number.
        var snapshot = -1
        var tree = MappedTree()
    }

    private var entries: [Entry] = []

    /// Returns the tree of a database.
    @inline(__always)
    mutating func tree(of database: LMDBDatabase, in context: TransactionContext) throws(LMDBError) -> MappedTree {
        let number = Int(database.handle)
        if number < entries.count, entries[number].snapshot == context.pages.transactionID {
            return entries[number].tree
        }
        return try look(for: database, in: context)
    }

    @inline(never)
    private mutating func look(
        for database: LMDBDatabase, in context: TransactionContext
    ) throws(LMDBError) -> MappedTree {
        let environment = unsafe context.environment.takeUnretainedValue()
        let number = Int(database.handle)
        let pages = context.pages
        let tree: MappedTree
        if database == .main {
            tree = try environment.tree(pages.main, pages, "mdb_get")
        } else if database == .freeList {
            // Only for walks: its keys are in the order of numbers.
            guard pages.freeList.isSound(in: pages) else { throw environment.damaged(nil, "mdb_get") }
            tree = MappedTree(pages.freeList, pages)
        } else {
            guard let name = environment.databases.withLock({ $0.name(of: database) }),
                let found = try environment.tree(named: name, in: pages, "mdb_get")
            else { throw context.failure(MDB_BAD_DBI, "mdb_get") }
            tree = found
        }
        while entries.count <= number { entries.append(Entry()) }
        entries[number] = Entry(snapshot: pages.transactionID, tree: tree)
        return tree
    }
}

extension LMDBEnvironment {
    /// Returns a snapshot's tree of a named database; nil if it has no database with this name.
    func tree(
        named name: [UInt8], in pages: SnapshotPages, _ operation: StaticString
    ) throws(LMDBError) -> MappedTree? {
        let main = try tree(pages.main, pages, operation)
        let lookup = unsafe name.withUnsafeBytes { unsafe main.find($0) }
        switch lookup {
        case .missing: return nil
        case .damage(let page): throw damaged(page, operation)
        case .found(let record):
            guard record.count == TreeRecord.byteCount, let start = record.baseAddress else {
                throw failure(MDB_INCOMPATIBLE, operation)
            }
            return unsafe try tree(TreeRecord(start), pages, operation)
        }
    }

    /// Returns the tree of a record.
    func tree(
        _ record: TreeRecord, _ pages: SnapshotPages, _ operation: StaticString
    ) throws(LMDBError) -> MappedTree {
        guard record.flags == 0 else { throw failure(MDB_INCOMPATIBLE, operation) }
        guard record.isSound(in: pages) else { throw damaged(nil, operation) }
        return MappedTree(record, pages)
    }

    /// Returns the error for a page that cannot be what the pages before it say; nil for the record of a tree.
    func damaged(_ page: UInt64?, _ operation: StaticString) -> LMDBError {
        if let error = lostPages(operation) { return error }
        let error = LMDBError(code: MDB_CORRUPTED, operation: "\(operation)", path: path)
        return LMDBError(
            error.code, operation: error.operation, path: path, systemCode: error.systemCode,
            detail: page.map { "page \($0) of data.mdb is damaged" } ?? "the record of a database is damaged",
            remedy: error.remedy)
    }
}
