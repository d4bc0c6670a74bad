/// A handle on one database of an environment. Valid in all of the environment's transactions that began after it was
/// opened, until the database is dropped.
package struct LMDBDatabase: Hashable, Sendable {
    package let handle: UInt32

    package init(handle: UInt32) {
        self.handle = handle
    }

    /// The unnamed database, whose entries are the named ones.
    static let main = LMDBDatabase(handle: 1)
}
