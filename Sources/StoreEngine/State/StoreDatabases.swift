package import LMDB

/// The fixed databases of a store, and the names of its other databases.
package struct StoreDatabases: Hashable, Sendable {
    /// One entry for each record type.
    package let catalog: LMDBDatabase
    /// Format, identity, feed head and counters.
    package let metadata: LMDBDatabase
    /// The change sets.
    package let feed: LMDBDatabase
    /// Named consumers of the feed.
    package let consumers: LMDBDatabase
    /// Samples of the records, for the planner. Nil in a store that was created before there were samples and has not been opened
    /// for writing since.
    package var statistics: LMDBDatabase?
    /// The records that changed in change sets that have left the feed. Nil in a store whose trail has never been switched on.
    package var trail: LMDBDatabase?
    /// How keys in these databases are hashed if they are too long.
    package var keyHash = KeyHash.publicSeeds

    package static let catalogName = "catalog"
    package static let metadataName = "metadata"
    package static let feedName = "feed"
    package static let consumersName = "consumers"
    package static let statisticsName = "statistics"
    package static let trailName = "trail"

    /// Returns the name of the database with the records of a type.
    package static func recordsName(type: UInt32) -> String { "records.\(type)" }

    /// Returns the name of the database with the entries of an index.
    package static func indexName(type: UInt32, index: UInt32) -> String { "index.\(type).\(index)" }
}

/// The keys of the metadata database. They are text, so that the output of `mdb_dump` is readable.
package enum MetadataKey {
    /// The format's version, 4 bytes.
    package static let format = Array("format".utf8)
    /// The store's identity, a UUID.
    package static let identity = Array("identity".utf8)
    /// The feed's head, see ``FeedHead``.
    package static let head = Array("head".utf8)
    /// The catalog's version, 8 bytes.
    package static let catalogVersion = Array("catalog".utf8)
    /// The file that contains this store: inode and birth time, 16 bytes. If the store is in another file, it is a copy.
    package static let home = Array("home".utf8)

    /// The replica state: the place of a store in the log that orders its writes. Only a replica has it.
    package static let replica = Array("replica".utf8)
    /// The sum of the records of a replica, see ``ContentSum``. A replica lacks it until the next write, after
    /// a change of the schema that gives records another form.
    package static let content = Array("content".utf8)

    /// Present, with one byte of 0, in a store whose redo log was turned off.
    package static let redoLog = Array("redo".utf8)

    /// The secret of ``KeyHash`` with its checksum, 40 bytes. Every store has it since format 4.
    package static let keySecret = Array("secret".utf8)

    /// The name of the version to which the last migration plan brought the store, as text.
    package static let planVersion = Array("version".utf8)

    /// Returns the key of the greatest id that the store has assigned for a type, 8 bytes.
    package static func assigned(type: UInt32) -> [UInt8] { Array("assigned.\(type)".utf8) }

    /// Returns the key of the progress of building an index: the number of finished records, 8 bytes, and the key of the last
    /// one.
    package static func building(type: UInt32, index: UInt32) -> [UInt8] { Array("building.\(type).\(index)".utf8) }

    /// Returns the key of a consumer's interest, see ``ConsumerInterest``.
    package static func interest(consumer name: String) -> [UInt8] { Array("\(interestPrefix)\(name)".utf8) }

    /// The prefix of the keys of ``interest(consumer:)``.
    package static let interestPrefix = "consumer."
}
