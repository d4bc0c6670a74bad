import Foundation
import LMDB

/// A consumer with its name.
package struct NamedConsumer: Hashable, Sendable {
    package let name: String
    package var state: ConsumerState
}

/// The database of the named consumers: it maps names to states.
enum ConsumerStorage {
    /// Returns the key of a name.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when the name is not valid.
    static func key(_ name: String) throws(StoreError) -> [UInt8] {
        let key = Array(name.utf8)
        guard (1...255).contains(key.count) else {
            throw StoreError(
                .invalidValue, "a consumer's name has \(key.count) bytes", remedy: "give it a name of 1 to 255 bytes")
        }
        return key
    }

    /// Returns all consumers, sorted by name.
    static func all(
        _ databases: StoreDatabases, store: UUID, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> [NamedConsumer] {
        do {
            var consumers: [NamedConsumer] = []
            var cursor = try snapshot.openCursor(databases.consumers)
            var isPlaced = try cursor.first()
            while isPlaced {
                let name = String(decoding: cursor.key.array(), as: UTF8.self)
                let consumer = try ConsumerState(from: cursor.value, store: store)
                consumers.append(NamedConsumer(name: name, state: consumer))
                isPlaced = try cursor.next()
            }
            return consumers
        } catch {
            throw StoreError(reading: error, at: "the consumers")
        }
    }

    /// Stores a consumer.
    static func put(
        _ consumer: NamedConsumer, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(LMDBError) {
        var bytes = ByteWriter(capacity: 128)
        consumer.state.encode(to: &bytes)
        let key = Array(consumer.name.utf8)
        unsafe try raw.put(databases.consumers, key: key.span.bytes, value: bytes.bytes)
    }
}
