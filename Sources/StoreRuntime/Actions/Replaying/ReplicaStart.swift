package import Foundation
package import StoreEngine

/// What a new store begins with that goes on from where another one was: its identity, its place in the feed, and its record types.
package struct ReplicaStart: Sendable {
    package var identity: UUID
    /// The place in the feed.
    package var head: FeedHead
    /// The record types, with the numbers and versions that they have there.
    package var types: [RecordType]

    package init(identity: UUID, position: Position, types: [RecordType]) {
        self.identity = identity
        head = FeedHead(
            sequence: position.sequence, hash: position.hash, epoch: position.epoch, oldest: position.sequence + 1)
        self.types = types
    }
}

extension Store {
    /// Makes a store that goes on from where another one was, in a directory that has none.
    ///
    /// - Throws: ``StoreError``: `storeExists`; as opening a store.
    package convenience init(
        replicaAt path: String, from start: ReplicaStart, records: [any Record.Type] = [],
        options: StoreOptions = StoreOptions()
    ) throws {
        // Also the store that is recorded has this identity: nothing may be written to it.
        guard !FileManager.default.fileExists(atPath: StoreDirectory.dataFile(path)) else {
            throw StoreError(.storeExists, "\(path) holds a store already", remedy: "choose an empty directory")
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
