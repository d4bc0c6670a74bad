import Foundation
import ModelStore
import Testing

@Suite struct StoreTests {
    @Test func `A written record is read back, by id and by a unique field`() async throws {
        let store = try Store.temporary(records: Sensor.self, Account.self)
        let sensor = Sensor(id: "s1", room: "kitchen", serial: "A-17", celsius: 21.5)
        let committed = try await store.write { tx in try tx.insert(sensor) }
        #expect(committed.result == sensor)
        #expect(try store.read { try $0.get(Sensor.self, id: "s1") } == sensor)
        #expect(try store.read { try $0.get(Sensor.self, unique: \.serial, equals: "A-17") } == sensor)
        #expect(try store.read { try $0.value(Sensor.self, id: "s1", \.celsius) } == 21.5)
        #expect(try store.read { try $0.get(Sensor.self, id: "s2") } == nil)
        let account = try await store.write { try $0.insert(Account(email: "a@b", balance: 3)) }.result
        #expect(account.id == 1)
        #expect(account.opened.timeIntervalSinceReferenceDate.isFinite)
        #expect(account.token != .newID)
        store.close()
    }
}
