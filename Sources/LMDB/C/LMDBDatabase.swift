/// A handle for one database of an environment. It is valid in all transactions of the environment that began after it was
/// opened, until the database is dropped.
package struct LMDBDatabase: Hashable, Sendable {
    package let handle: UInt32

    package init(handle: UInt32) {
        self.handle = handle
    }

    /// LMDB's list of free pages, by the numbers of the transactions that freed them.
    package static let freeList = LMDBDatabase(handle: 0)
    /// The unnamed database. Its entries are the named databases.
    static let main = LMDBDatabase(handle: 1)
}
