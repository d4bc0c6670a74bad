import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// A closed store with a variety of content: records of three types, all kinds of index entries, and a feed that begins with the
/// store. The type numbers are Sensor 1, Ticket 2 and Slot 3. Change sets 1 to 3 add the schemas.
struct SampleStore {
    let folder: StoreFolder

    /// The change set whose entry spans several fragments.
    static let longChangeSet: UInt64 = 5
    /// The newest change set.
    static let newest: UInt64 = 9
    /// The secret under which the store hashes long keys.
    static let keyHash = KeyHash.secret(SipHash(low: 1, high: 2), SipHash(low: 3, high: 4))
    /// A serial that is too long for a key.
    static let longSerial = String(repeating: "long ", count: 80)

    init(retained: Int = 10_000) throws {
        folder = try StoreFolder()
        var options = StoreOptions()
        options.durability = .relaxed
        options.keyHash = { Self.keyHash }
        options.limits.retainedChangeSets = retained
        let store = try Store(at: folder.path, records: Sensor.self, Ticket.self, Slot.self, options: options)
        defer { store.close() }
        try store.write { tx in
            for number in 1...5 {
                try tx.insert(Sensor(id: "s\(number)", room: "r\(number % 2)", serial: "A-\(number)", note: "note"))
            }
        }
        try store.write { tx in
            let payload = Data(repeating: 7, count: 100_000)
            try tx.insert(Ticket(code: "c1", owner: "ann", rank: 1, payload: payload))
            try tx.insert(Ticket(owner: "bob", rank: -1, payload: payload, tags: ["a", "b"]))
            try tx.insert(Ticket(id: 40, owner: "bob", rank: 2))
        }
        try store.write { tx in
            try tx.insert(Slot(room: "blue", hour: 8, guest: "eve", minutes: 30))
            try tx.insert(Slot(room: "blue", hour: 9))
            try tx.insert(Slot(room: String(repeating: "x", count: 300), hour: 9, guest: "eve"))
            try tx.insert(Sensor(id: "long", room: "r", serial: SampleStore.longSerial, floor: .attic))
        }
        try store.write { tx in
            try tx.update(Sensor.self, id: "s2") { $0.celsius = 21.5 }
            try tx.update(Sensor.self, id: "s3") { $0.room = "moved" }
        }
        try store.write { tx in
            try tx.delete(Sensor.self, id: "s4")
            try tx.delete(Ticket.self, id: 40)
        }
        try store.write { tx in _ = try tx.update(Sensor.self, id: "s2") { $0.note = nil } }
    }

    static let sensors = StoreDatabases.recordsName(type: 1)
    static let tickets = StoreDatabases.recordsName(type: 2)
    static let rooms = StoreDatabases.indexName(type: 1, index: 0)
    static let serials = StoreDatabases.indexName(type: 1, index: 1)
    static let feed = StoreDatabases.feedName
    static let metadata = StoreDatabases.metadataName
    static let catalog = StoreDatabases.catalogName
}

extension LMDBWriteTransaction {
    /// Changes the stream of a single-fragment change set, and updates its own hash.
    mutating func rewriteChangeSet(_ sequence: UInt64, _ body: (inout [UInt8]) throws -> Void) throws {
        try change(SampleStore.feed, KeyBytes.fragment(sequence)) { value in
            var stream = Array(value[9...])
            try body(&stream)
            let hashed = [value[8]] + stream
            let seed = unsafe try FeedFragment.previousHash(inFirst: stream.span.bytes)
            value = unsafe KeyBytes.little(XXH64.hash(hashed.span.bytes, seed: seed)) + hashed
        }
    }

    /// Changes the feed's head.
    mutating func changeHead(_ body: (inout FeedHead) -> Void) throws {
        try change(SampleStore.metadata, MetadataKey.head) { value in
            var head = unsafe try FeedHead(from: value.span.bytes)
            body(&head)
            var writer = ByteWriter()
            head.encode(to: &writer)
            value = writer.array()
        }
    }

    /// Changes an entry of the catalog, and updates its checksum.
    mutating func changeCatalog(_ type: UInt32, _ body: (inout RecordType) -> Void) throws {
        var key = ByteWriter()
        key.append(bigEndian: type)
        try change(SampleStore.catalog, key.array()) { value in
            var described = try JSONDecoder().decode(RecordType.self, from: Data(value[8...]))
            body(&described)
            let json = try CatalogStorage.encode(described)
            value = unsafe KeyBytes.little(XXH64.hash(json.span.bytes)) + json
        }
    }
}
