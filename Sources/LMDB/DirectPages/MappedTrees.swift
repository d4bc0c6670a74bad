internal import CLMDB
internal import Synchronization

/// The trees that a read transaction searches without LMDB, by the handles of their databases.
///
/// Finding a tree's root costs a lookup in the main database, which pays off after a few lookups in one snapshot. Read
/// transactions are pooled. They keep the roots until a commit changes the snapshot or the map moves.
struct MappedTrees {
    /// How many lookups in one snapshot are left to LMDB.
    static let patience = 3

    /// `MODELSTORE_DIRECT_READING=0` in the environment leaves all reads to LMDB, for comparisons.
    static let isOn = SystemCalls.variable("MODELSTORE_DIRECT_READING") != "0"

    private struct Entry {
        /// The snapshot, by its transaction number.
        var snapshot = 0
        var lookups = 0
        var tree: MappedTree?
    }

    private var entries: [Entry] = []
    /// The number of the map that the trees are in.
    private var map = 0

    /// Returns the tree of a database; nil if LMDB has to search.
    ///
    /// - Parameter lookups: the number of lookups that follow.
    @inline(__always)
    mutating func tree(of database: LMDBDatabase, lookups: Int, in context: TransactionContext) -> MappedTree? {
        let number = Int(database.handle)
        let snapshot = unsafe Calls.identifier(of: context.handle)
        if number < entries.count, entries[number].snapshot == snapshot, let tree = entries[number].tree { return tree }
        return look(for: database, lookups, snapshot, in: context)
    }

    /// Drops the trees of an earlier map. Called before a transaction begins, because the map does not move during a transaction.
    @inline(__always)
    mutating func begin(in environment: LMDBEnvironment) {
        let current = environment.mapNumber.load(ordering: .relaxed)
        if map != current {
            entries.removeAll()
            map = current
        }
    }

    @inline(never)
    private mutating func look(
        for database: LMDBDatabase, _ lookups: Int, _ snapshot: Int, in context: TransactionContext
    ) -> MappedTree? {
        guard Self.isOn else { return nil }
        let number = Int(database.handle)
        while entries.count <= number { entries.append(Entry()) }
        if entries[number].snapshot != snapshot { entries[number] = Entry(snapshot: snapshot) }
        let before = entries[number].lookups
        entries[number].lookups += lookups
        // Only once per snapshot: a tree that cannot be searched directly stays so.
        guard before <= Self.patience, entries[number].lookups > Self.patience else { return nil }
        let environment = unsafe context.environment.takeUnretainedValue()
        guard let name = environment.databases.withLock({ $0.first { $0.value == database }?.key }) else { return nil }
        var record = unsafe MDB_val()
        var info: LMDBInfo?
        guard unsafe Calls.get(context.handle, .main, Array(name.utf8).span.bytes, into: &record) == 0,
            unsafe Calls.info(environment.handle.pointer, fileBytes: 0, into: &info) == 0, let info
        else { return nil }
        entries[number].tree = unsafe MappedTree(record: record, info: info)
        return entries[number].tree
    }
}

extension LMDBEnvironment {
    /// Whether this process reads pages directly where that is faster than LMDB.
    package static var readsPagesDirectly: Bool { MappedTrees.isOn }
}
