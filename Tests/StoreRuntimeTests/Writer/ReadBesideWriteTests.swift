import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Reads of a store inside its own write closures.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ReadBesideWriteTests {
    private static func store(_ notices: @escaping @Sendable (OwnershipNotice) -> Void) throws -> Store {
        var options = StoreOptions()
        options.ownership.onNotice = notices
        return try Store.temporary(records: Sensor.self, options: options)
    }

    @Test func `a read of the store in a write closure is a notice that names the transaction`() async throws {
        for isBlocking in [false, true] {
            let notices = Mutex<[OwnershipNotice]>([])
            let store = try Self.store { notice in notices.withLock { $0.append(notice) } }
            let body: @Sendable (inout WriteTransaction) throws -> Void = { tx in
                try tx.insert(Sensor(id: "a", room: "r", serial: "1"))
                #expect(try store.get(Sensor.self, id: "a") == nil)
                #expect(try store.count(Sensor.self) == 0)
            }
            if isBlocking { try Self.write(store, body) } else { try await store.write(body) }
            let found = notices.withLock { $0 }
            #expect(found.map(\.code) == [.readBesideWrite])
            #expect(found.first?.message.contains("tx.get(_:id:)") == true)
        }
    }

    private static func write(
        _ store: Store, _ body: @escaping @Sendable (inout WriteTransaction) throws -> Void
    ) throws { try store.write(body) }

    @Test func `other reads are silent`() async throws {
        let notices = Mutex<[OwnershipNotice]>([])
        let store = try Self.store { notice in notices.withLock { $0.append(notice) } }
        let other = try Self.store { notice in notices.withLock { $0.append(notice) } }
        try await store.write { tx in
            try tx.insert(Sensor(id: "a", room: "r", serial: "1"))
            _ = try tx.get(Sensor.self, id: "a")
            _ = try other.count(Sensor.self)
        }
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) { try await store.write { _ in throw Refusal() } }
        try Self.write(store) { _ in }
        #expect(try store.count(Sensor.self) == 1)
        #expect(notices.withLock { $0 }.isEmpty)
    }
}
