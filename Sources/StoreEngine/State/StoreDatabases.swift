package import LMDB

/// The fixed databases of a store, and the names of the others.
package struct StoreDatabases: Hashable, Sendable {
    /// One entry for each record type.
    package let catalog: LMDBDatabase
    /// Format, identity, feed head and counters.
    package let metadata: LMDBDatabase
    /// The change sets.
    package let feed: LMDBDatabase
    /// Named consumers of the feed.
    package let consumers: LMDBDatabase
    /// Samples of the records, for the planner; nil in a store that was made before there were any and has not been opened
    /// for writing since.
    package var statistics: LMDBDatabase?
    /// Which records changed in change sets that have left the feed; nil in a store that was never asked to remember that.
    package var trail: LMDBDatabase?

    package static let catalogName = "catalog"
    package static let metadataName = "metadata"
    package static let feedName = "feed"
    package static let consumersName = "consumers"
    package static let statisticsName = "statistics"
    package static let trailName = "trail"

    /// The name of the database with the records of a type.
    package static func recordsName(type: UInt32) -> String { "records.\(type)" }

    /// The name of the database with the entries of an index.
    package static func indexName(type: UInt32, index: UInt32) -> String { "index.\(type).\(index)" }
}

/// The keys of the metadata database. They are text, so that `mdb_dump` shows what is what.
package enum MetadataKey {
    /// The format's version, 4 bytes.
    package static let format = Array("format".utf8)
    /// The store's identity, a UUID.
    package static let identity = Array("identity".utf8)
    /// The feed's head, see ``FeedHead``.
    package static let head = Array("head".utf8)
    /// The catalog's version, 8 bytes.
    package static let catalogVersion = Array("catalog".utf8)
    /// The file that this store lives in: inode and birth time, 16 bytes. Another file means that it is a copy.
    package static let home = Array("home".utf8)

    /// The name of the version that the last migration plan brought the store to, as text.
    package static let planVersion = Array("version".utf8)

    /// The greatest id that the store has assigned for a type, 8 bytes.
    package static func assigned(type: UInt32) -> [UInt8] { Array("assigned.\(type)".utf8) }

    /// How far the building of an index is: the number of records done, 8 bytes, and the key of the last of them.
    package static func building(type: UInt32, index: UInt32) -> [UInt8] { Array("building.\(type).\(index)".utf8) }

    /// The interest of a consumer, see ``ConsumerInterest``.
    package static func interest(consumer name: String) -> [UInt8] { Array("\(interestPrefix)\(name)".utf8) }

    /// How the keys of ``interest(consumer:)`` begin.
    package static let interestPrefix = "consumer."
}
