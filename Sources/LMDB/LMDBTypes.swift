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

/// The size of one database.
package struct LMDBStatistics: Hashable, Sendable {
    package let pageSize: Int
    package let depth: Int
    package let branchPages: Int
    package let leafPages: Int
    package let overflowPages: Int
    package internal(set) var entries: Int

    /// The bytes of the file that it takes.
    package var byteCount: Int { (branchPages + leafPages + overflowPages) * pageSize }
}

/// The size of an environment.
package struct LMDBInfo: Hashable, Sendable {
    package let mapSize: Int
    package let lastPage: Int
    package let lastTransactionID: Int
    package let maximumReaders: Int
    /// Slots of the reader table that have been used, whether or not they still are.
    package let usedReaders: Int
    package let pageSize: Int
    package let fileBytes: Int
}

/// One taken slot of the reader table, of this or of another process.
package struct LMDBReader: Hashable, Sendable {
    package let processID: Int32
    package let threadID: UInt
    /// The snapshot it holds; nil while its transaction waits in a pool.
    package let transactionID: Int?
}

/// Which file an environment's data is in, whatever path leads to it.
package struct LMDBFileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// When the file was made, where the file system keeps it: it tells a file from a later one with the same inode.
    package let birthNanoseconds: Int?
}
