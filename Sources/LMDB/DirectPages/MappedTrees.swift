internal import CLMDB
internal import Synchronization

/// The trees that a read transaction searches by itself, by the handles of their databases.
///
/// To find a tree's root takes a look at the main database, which pays off from some lookups in one snapshot on. Read
/// transactions are pooled, and keep what they know for as long as nothing is committed and the map stays where it is.
struct MappedTrees {
    /// The lookups in one snapshot that are left to LMDB.
    static let patience = 3

    /// `MODELSTORE_DIRECT_READING=0` in the environment leaves all reads to LMDB, to compare the two.
    static let isOn = SystemCalls.variable("MODELSTORE_DIRECT_READING") != "0"

    private struct Entry {
        /// The snapshot, by its transaction's number.
        var snapshot = 0
        var lookups = 0
        var tree: MappedTree?
    }

    private var entries: [Entry] = []
    /// Which of the maps that the environment has had the trees are in.
    private var map = 0

    /// The tree of a database; nil where LMDB is to be asked.
    ///
    /// - Parameter lookups: how many are to be made.
    @inline(__always)
    mutating func tree(of database: LMDBDatabase, lookups: Int, in context: TransactionContext) -> MappedTree? {
        let number = Int(database.handle)
        let snapshot = unsafe Calls.identifier(of: context.handle)
        if number < entries.count, entries[number].snapshot == snapshot, let tree = entries[number].tree { return tree }
        return look(for: database, lookups, snapshot, in: context)
    }

    /// Forgets the trees of an earlier map. Before a transaction begins: the map stays in place while one runs.
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
        // Once: a tree that cannot be searched stays so.
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
    /// Whether this process reads pages directly, where that is quicker than by LMDB.
    package static var readsPagesDirectly: Bool { MappedTrees.isOn }
}
