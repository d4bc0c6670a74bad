package import Foundation
package import LMDB

/// The store format that this library writes, and the first steps to open a store.
package enum StoreFormat {
    /// The newest version of the format: that of new stores, with and without a redo log. See the article *The file format* for
    /// the history.
    package static let version: UInt32 = 4

    /// The newest version to which a store of an earlier version can be raised. Such a store has a redo log, and hashes long keys
    /// under public seeds.
    package static let versionWithLog: UInt32 = 3

    /// The newest version of such a store without a redo log. It is also the first one with statistics, references, and changes
    /// of record types.
    package static let versionWithoutLog: UInt32 = 2

    /// Returns the newest version that a store can have.
    ///
    /// - Parameters:
    ///   - found: its version; nil for a new store.
    ///   - isLogged: whether it has a redo log.
    package static func newest(from found: UInt32?, isLogged: Bool) -> UInt32 {
        guard let found, found < version else { return version }
        return isLogged ? versionWithLog : versionWithoutLog
    }

    /// The contents of a store's metadata.
    package struct Header: Sendable {
        /// The version of the store's format.
        package let format: UInt32
        package let identity: UUID
        package let head: FeedHead
        package let catalogVersion: UInt64
        package let home: [UInt8]
    }

    /// Opens the fixed databases of an existing store.
    ///
    /// - Returns: nil if the environment has none of the databases.
    /// - Throws: ``StoreError``: `notAStore` when it has only some of them.
    package static func openDatabases(
        _ raw: inout LMDBWriteTransaction, create: Bool
    ) throws(StoreError)
        -> StoreDatabases?
    {
        func open(_ name: String, _ raw: inout LMDBWriteTransaction) throws(StoreError) -> LMDBDatabase? {
            do {
                return try raw.openDatabase(named: name, create: create)
            } catch {
                throw StoreError(error)
            }
        }
        var databases = try collect(
            open(StoreDatabases.metadataName, &raw), open(StoreDatabases.catalogName, &raw),
            open(StoreDatabases.feedName, &raw), open(StoreDatabases.consumersName, &raw),
            statistics: open(StoreDatabases.statisticsName, &raw))
        // Created only for a store that requests it.
        databases?.trail = try mapLMDB { () throws(LMDBError) in
            try raw.openDatabase(named: StoreDatabases.trailName, create: false)
        }
        try databases?.readKeyHash(raw.snapshot)
        return databases
    }

    /// Opens the fixed databases of an existing store for reading.
    package static func openDatabases(_ snapshot: LMDBSnapshot) throws(StoreError) -> StoreDatabases? {
        func open(_ name: String) throws(StoreError) -> LMDBDatabase? {
            do {
                return try snapshot.openDatabase(named: name)
            } catch {
                throw StoreError(error)
            }
        }
        var databases = try collect(
            open(StoreDatabases.metadataName), open(StoreDatabases.catalogName), open(StoreDatabases.feedName),
            open(StoreDatabases.consumersName), statistics: open(StoreDatabases.statisticsName))
        databases?.trail = try open(StoreDatabases.trailName)
        try databases?.readKeyHash(snapshot)
        return databases
    }

    private static func collect(
        _ metadata: LMDBDatabase?, _ catalog: LMDBDatabase?, _ feed: LMDBDatabase?, _ consumers: LMDBDatabase?,
        statistics: LMDBDatabase?
    ) throws(StoreError) -> StoreDatabases? {
        if let metadata, let catalog, let feed, let consumers {
            return StoreDatabases(
                catalog: catalog, metadata: metadata, feed: feed, consumers: consumers, statistics: statistics)
        }
        guard metadata == nil, catalog == nil, feed == nil, consumers == nil else {
            throw StoreError(
                .notAStore, "the directory holds an LMDB environment that is only partly a store",
                remedy: "restore a backup")
        }
        return nil
    }

    /// Returns whether a store's databases exist, but not yet the store: its redo log is made before.
    package static func isUnborn(
        _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> Bool { try isUnborn(metadata: databases.metadata, snapshot) }

    static func isUnborn(metadata: LMDBDatabase, _ snapshot: LMDBSnapshot) throws(StoreError) -> Bool {
        try mapLMDB { () throws(LMDBError) in
            var count = 0
            for key in [MetadataKey.format, MetadataKey.redoLog] {
                if unsafe try snapshot.get(metadata, key: key.span.bytes) != nil { count += 1 }
            }
            return try snapshot.statistics(of: metadata).entries == count
        }
    }

    /// Writes the metadata of a new store.
    package static func initialize(
        _ databases: inout StoreDatabases, keyHash: KeyHash, identity: UUID, head: FeedHead, home: [UInt8],
        in raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Header {
        try writeVersion(version, databases, &raw)
        if let secret = keyHash.bytes { unsafe try put(MetadataKey.keySecret, secret.span.bytes, databases, &raw) }
        databases.keyHash = keyHash
        var identityBytes = ByteWriter()
        identity.encode(to: &identityBytes)
        try put(MetadataKey.identity, identityBytes.bytes, databases, &raw)
        try writeHead(head, databases, &raw)
        try writeCatalogVersion(1, databases, &raw)
        unsafe try put(MetadataKey.home, home.span.bytes, databases, &raw)
        return Header(format: version, identity: identity, head: head, catalogVersion: 1, home: home)
    }

    /// Reads and checks the metadata.
    ///
    /// - Throws: ``StoreError``: `newerFormat` when a newer library wrote the store; `damaged`.
    package static func header(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) -> Header {
        return Header(
            format: try version(databases, snapshot),
            identity: try decode(MetadataKey.identity, databases, snapshot) { bytes throws(CodecError) in
                try UUID(from: bytes)
            },
            head: try head(databases, snapshot),
            catalogVersion: try catalogVersion(databases, snapshot),
            home: try decode(MetadataKey.home, databases, snapshot) { $0.array() })
    }

    /// Returns the version of a store's format.
    ///
    /// - Throws: ``StoreError``: `newerFormat` when a newer library wrote the store; `damaged`.
    package static func version(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) -> UInt32 {
        let version = try decode(MetadataKey.format, databases, snapshot) { bytes throws(CodecError) in
            try UInt32(from: bytes)
        }
        guard version <= StoreFormat.version else {
            throw StoreError(
                .newerFormat,
                "the store has format \(version), but this program reads formats up to \(StoreFormat.version)",
                remedy: "use a program built with a newer ModelStore")
        }
        return version
    }

    /// Throws if the store has an older format than a change needs.
    ///
    /// - Parameters:
    ///   - needed: the first version that can express the change.
    ///   - change: what needs it, as the beginning of a message.
    /// - Throws: ``StoreError``: `olderFormat`; as ``version(_:_:)``.
    package static func require(
        _ needed: UInt32, for change: String, _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) {
        let found = try version(databases, snapshot)
        guard found < needed else { return }
        throw StoreError(
            .olderFormat, "\(change) needs format \(needed), but the store has format \(found)",
            remedy: "run store-cli upgrade, or set StoreOptions.upgradesFormat, once no older program uses the store")
    }

    /// Returns whether a program has turned the store's redo log off.
    package static func isLogOff(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) -> Bool {
        try mapLMDB { () throws(LMDBError) in
            let key = MetadataKey.redoLog
            return unsafe try snapshot.get(databases.metadata, key: key.span.bytes) != nil
        }
    }

    /// Writes whether the redo log is turned off.
    package static func writeLogOff(
        _ isOff: Bool, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        if isOff {
            let off: [UInt8] = [0]
            return unsafe try put(MetadataKey.redoLog, off.span.bytes, databases, &raw)
        }
        try mapLMDB { () throws(LMDBError) in
            let key = MetadataKey.redoLog
            _ = unsafe try raw.delete(databases.metadata, key: key.span.bytes)
        }
    }

    /// Returns the feed's head.
    package static func head(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) -> FeedHead {
        try decode(MetadataKey.head, databases, snapshot) { bytes throws(CodecError) in try FeedHead(from: bytes) }
    }

    /// Returns the catalog's version.
    package static func catalogVersion(
        _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> UInt64 {
        try decode(MetadataKey.catalogVersion, databases, snapshot) { bytes throws(CodecError) in
            try UInt64(from: bytes)
        }
    }

    /// Writes the version of the store's format. A store may still lack parts that an earlier format did not have.
    package static func writeVersion(
        _ version: UInt32, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        var bytes = ByteWriter()
        bytes.append(version)
        try put(MetadataKey.format, bytes.bytes, databases, &raw)
    }

    /// Writes the feed's head.
    package static func writeHead(
        _ head: FeedHead, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        var bytes = ByteWriter(capacity: 64)
        head.encode(to: &bytes)
        try put(MetadataKey.head, bytes.bytes, databases, &raw)
    }

    /// Writes the catalog's version.
    package static func writeCatalogVersion(
        _ version: UInt64, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        var bytes = ByteWriter()
        bytes.append(version)
        try put(MetadataKey.catalogVersion, bytes.bytes, databases, &raw)
    }

    /// Writes the identity of the store's file.
    package static func writeHome(
        _ home: [UInt8], _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        unsafe try put(MetadataKey.home, home.span.bytes, databases, &raw)
    }

    /// Returns the replica state; nil for a store that is no replica.
    package static func replica(
        _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> [UInt8]? {
        let found: RawSpan?
        do {
            let key = MetadataKey.replica
            found = unsafe try snapshot.get(databases.metadata, key: key.span.bytes)
        } catch {
            throw StoreError(error)
        }
        return found?.array()
    }

    /// Writes the replica state.
    package static func writeReplica(
        _ replica: [UInt8], _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        unsafe try put(MetadataKey.replica, replica.span.bytes, databases, &raw)
    }

    /// Removes the replica state.
    package static func removeReplica(
        _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(LMDBError) {
        let key = MetadataKey.replica
        _ = unsafe try raw.delete(databases.metadata, key: key.span.bytes)
    }

    /// Reads the secret under which the store hashes long keys.
    fileprivate static func keyHash(
        _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> KeyHash {
        try decode(MetadataKey.keySecret, databases, snapshot) { bytes throws(CodecError) in try KeyHash(bytes) }
    }

    private static func put(
        _ key: [UInt8], _ value: RawSpan, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        do {
            unsafe try raw.put(databases.metadata, key: key.span.bytes, value: value)
        } catch {
            throw StoreError(error)
        }
    }

    private static func decode<T>(
        _ key: [UInt8], _ databases: StoreDatabases, _ snapshot: LMDBSnapshot,
        _ body: (RawSpan) throws(CodecError) -> T
    ) throws(StoreError) -> T {
        let name = String(decoding: key, as: UTF8.self)
        let found: RawSpan?
        do {
            found = unsafe try snapshot.get(databases.metadata, key: key.span.bytes)
        } catch {
            throw StoreError(error)
        }
        guard let found else {
            throw StoreError(.damaged, "the store's metadata lacks \(name)", remedy: "restore a backup")
        }
        do {
            return try body(found)
        } catch {
            throw StoreError(error, at: "the store's metadata \(name)")
        }
    }
}

extension StoreDatabases {
    /// Reads how the store hashes long keys.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`, if the secret is missing or damaged.
    fileprivate mutating func readKeyHash(_ snapshot: LMDBSnapshot) throws(StoreError) {
        // The first opening for writing makes the secret, and opening fails for a newer format.
        guard try !StoreFormat.isUnborn(self, snapshot),
            let version = try? StoreFormat.version(self, snapshot), version > StoreFormat.versionWithLog
        else { return }
        keyHash = try StoreFormat.keyHash(self, snapshot)
    }
}
