import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import StoreRuntime
import Testing

@Suite("Record and replay") struct ReplayTests {
    private func store() throws -> Store { try Store.temporary(records: Room.self, Sensor.self, Ticket.self) }

    /// Some of everything.
    private func fill(_ store: Store) async throws {
        try await store.write { tx in
            try tx.insert(Room(name: "kitchen"))
            try tx.insert(Room(name: "attic", floor: 2))
            try tx.insert(Sensor(id: "a", room: Reference("kitchen"), serial: "1", celsius: 20))
            try tx.insert(Sensor(id: "b", room: Reference("kitchen"), serial: "2", celsius: .nan, tags: ["x", "y"]))
        }
        try await store.send(AddTicket(text: "first"))
        // They exchange their unique values.
        try await store.write { tx in
            try tx.update(Sensor.self, id: "a") { $0.serial = "tmp" }
            try tx.update(Sensor.self, id: "b") { $0.serial = "1" }
            try tx.update(Sensor.self, id: "a") { $0.serial = "2" }
        }
        try await store.send(MoveSensor(id: "a", room: "attic"))
        try await store.write { tx in try tx.delete(Room.self, id: "kitchen") }
        try await store.write { tx in
            try tx.insert(Sensor(id: "b", serial: "9", celsius: -1))
            try tx.delete(Sensor.self, id: "a")
            try tx.insert(Sensor(id: "a", serial: "2", celsius: 1))
        }
        try await store.send(AddTicket(text: "second"))
    }

    @Test func `A feed from its beginning is replayed to the same records and the same feed`() async throws {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var options = RecordingOptions()
        options.start = .oldest
        let recorded = try store.record(to: folder.file("t"), options: options)
        #expect(try recorded.rowCount == 0 && recorded.changeSetCount == Int(store.position.sequence))
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
        #expect(summary.changeSetCount == recorded.changeSetCount)
        let again = try Store(at: folder.file("store"), records: Room.self, Sensor.self, Ticket.self)
        #expect(try again.read { try $0._reading.contentHash() } == store.read { try $0._reading.contentHash() })
        #expect(try again.findings() == [])
        again.close()
    }

    @Test func `A trace that begins with records goes on from them`() async throws {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.send(AddTicket(text: "third"))
        try await store.write { try $0.update(Sensor.self, id: "a") { $0.celsius = 30 } }
        let recorded = try await recorder.finish()
        #expect(recorded.changeSetCount == 2 && recorded.rowCount > 3)
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
    }

    @Test func `Actions are run by the code of today, with the time, identifiers and random numbers of then`()
        async throws
    {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var options = RecordingOptions()
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        let replay = ReplayOptions(
            actions: ActionCatalog(MoveSensor.self, AddTicket.self), records: Room.self, Sensor.self, Ticket.self)
        let summary = try await Replayer.replay(folder.file("t"), options: replay)
        #expect(summary.actionCount == 3 && summary.skippedActionCount == 0)
    }
}
