import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

@Suite("Actions") struct ActionTests {
    private func store() throws -> Store { try Store.temporary(records: Room.self, Sensor.self, Ticket.self) }

    private func sets(_ store: Store) async throws -> [ChangeSet] {
        let end = try store.position
        var sets: [ChangeSet] = []
        for try await set in store.changes(from: .oldest) {
            sets.append(set)
            if set.position == end { break }
        }
        return sets
    }

    @Test func `A sent action stands in the feed with its name, itself, and what it returned`() async throws {
        let store = try store()
        try await store.write { try $0.insert(Sensor(id: "s", serial: "1", celsius: 20)) }
        try await store.write { try $0.insert(Room(name: "attic")) }
        #expect(try await store.send(MoveSensor(id: "s", room: "attic")))
        let set = try #require(try await sets(store).last)
        let action = try #require(set.action)
        #expect(action.name == "MoveSensor")
        #expect(String(decoding: action.payload, as: UTF8.self) == #"{"id":"s","room":"attic"}"#)
        #expect(action.result.map { String(decoding: $0, as: UTF8.self) } == "true")
        #expect(try action.decoded(as: MoveSensor.self) == MoveSensor(id: "s", room: "attic"))
        #expect(try set.changes(of: Sensor.self).map(\.after?.room?.id) == ["attic"])
        #expect(try await sets(store).dropLast().allSatisfy { $0.action == nil })
    }

    @Test func `An action that changes nothing is recorded too`() async throws {
        let store = try store()
        #expect(try await store.send(MoveSensor(id: "none", room: nil)) == false)
        let set = try #require(try await sets(store).last)
        #expect(set.action?.name == "MoveSensor" && set.changes.isEmpty)
        #expect(try store.findings() == [])
    }

    @Test func `An action that throws leaves nothing`() async throws {
        struct Failing: Action {
            func run(in tx: inout WriteTransaction) throws {
                try tx.insert(Room(name: "gone"))
                throw StoreError(.conditionNotMet, "it fails")
            }
        }
        let store = try store()
        let before = try store.position
        await #expect(throws: StoreError.self) { try await store.send(Failing()) }
        #expect(try store.position == before)
    }

    @Test func `What an action returns must be recordable`() async throws {
        struct Opaque: Sendable {}
        struct Odd: Action {
            func run(in tx: inout WriteTransaction) throws -> Opaque { Opaque() }
        }
        let store = try store()
        let error = await #expect(throws: StoreError.self) { try await store.send(Odd()) }
        #expect(error?.code == .invalidValue)
    }

    @Test func `An action that would be other bytes in each run is refused`() async throws {
        struct Tags: Codable, Sendable {
            var names: Set<String>?
            var counts: [String: Int] = ["a": 1, "b": 2]
            var list = ["x", "y"]
        }
        struct Tag: Action {
            var tags: [Tags]
            func run(in tx: inout WriteTransaction) throws {}
        }
        struct Names: Action {
            func run(in tx: inout WriteTransaction) throws -> [UUID: Int] { [tx.newID(): 1] }
        }
        let store = try store()
        let before = try store.position
        let set = await #expect(throws: StoreError.self) {
            try await store.send(Tag(tags: [Tags(), Tags(names: ["a"])]))
        }
        let dictionary = await #expect(throws: StoreError.self) { try await store.send(Names()) }
        for refused in [set, dictionary] {
            #expect(refused?.code == .invalidValue && refused?.message.contains("differs from run to run") == true)
        }
        #expect(try store.position == before)
        try await store.send(Tag(tags: [Tags(), Tags()]))
    }

    @Test func `A large payload takes several fragments and reads back`() async throws {
        let store = try store()
        let text = String(repeating: "ü0123456789", count: 20_000)
        try await store.send(AddTicket(text: text))
        let set = try #require(try await sets(store).last)
        #expect(try set.action?.decoded(as: AddTicket.self).text == text)
        #expect(set.changes.count == 1)
        #expect(try store.findings() == [])
    }

    @Test func `Two actions in one write are refused`() async throws {
        let store = try store()
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.note(RecordedAction(name: "A", payload: Array("1".utf8), result: nil, seed: 0))
                try tx.note(RecordedAction(name: "B", payload: Array("1".utf8), result: nil, seed: 0))
            }
        }
        #expect(error?.code == .transactionMisused)
    }

    @Test func `Names that are not known fail, are skipped, or stand for others`() async throws {
        let recorded = RecordedAction(
            name: "Relocate", payload: Array(#"{"id":"s","room":null}"#.utf8), result: nil, seed: 1)
        let error = #expect(throws: StoreError.self) { try ActionCatalog(MoveSensor.self).action(recorded) }
        #expect(error?.code == .unknownAction && error?.description.contains("MoveSensor") == true)
        #expect(try ActionCatalog(MoveSensor.self).skipping("Relocate").action(recorded) == nil)
        #expect(try ActionCatalog(MoveSensor.self).unknown(.skip).action(recorded) == nil)
        let renamed = ActionCatalog(MoveSensor.self).renamed("Relocate", to: MoveSensor.self)
        #expect(try renamed.action(recorded) as? MoveSensor == MoveSensor(id: "s", room: nil))
        let mapped = ActionCatalog().mapping("Relocate") { _ in MoveSensor(id: "other", room: nil) }
        #expect(try mapped.action(recorded) as? MoveSensor == MoveSensor(id: "other", room: nil))
        let broken = RecordedAction(name: "MoveSensor", payload: Array("[]".utf8), result: nil, seed: 1)
        #expect(throws: StoreError.self) { try ActionCatalog(MoveSensor.self).action(broken) }
    }
}
