package import Foundation
package import StoreEngine

/// The start of a new store that continues an existing one: its identity, its position in the feed, and its record types.
package struct ReplicaStart: Sendable {
    package var identity: UUID
    /// The position in the feed.
    package var head: FeedHead
    /// The record types, with the numbers and versions of the existing store.
    package var types: [RecordType]

    package init(identity: UUID, position: Position, types: [RecordType]) {
        self.identity = identity
        head = FeedHead(
            sequence: position.sequence, hash: position.hash, epoch: position.epoch, oldest: position.sequence + 1)
        self.types = types
    }
}

extension Store {
    /// Creates a store that continues an existing one, in a directory without a store.
    ///
    /// - Throws: ``StoreError``: `storeExists`; as opening a store.
    package convenience init(
        replicaAt path: String, from start: ReplicaStart, records: [any Record.Type] = [],
        options: StoreOptions = StoreOptions()
    ) throws {
        // The recorded store has the same identity, so the identity check below would let a replay write into it.
        guard !FileManager.default.fileExists(atPath: StoreDirectory.dataFile(path)) else {
            throw StoreError(.storeExists, "\(path) already holds a store", remedy: "choose an empty directory")
        }
        var options = options
        options.start = start
        try StoreDirectory.prepare(path, options: options)
        try self.init(path: path, records: records, options: options, temporary: nil)
        let found = try read { tx throws(StoreError) in try tx._reading.feedPosition() }
        guard found.store == start.identity, found.sequence >= start.head.sequence else {
            close()
            throw StoreError(.storeExists, "\(path) holds another store", remedy: "choose an empty directory")
        }
    }
}
