import StoreEngine
import StoreRuntime
import Testing

@Suite struct IdentityTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test func `ids that Swift calls equal and that differ in their scalars are two records`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            try tx.insert(Sensor(id: Self.composed, room: "1", serial: "1"))
            try tx.insert(Sensor(id: Self.decomposed, room: "2", serial: "2"))
        }
        #expect(try store.get(Sensor.self, id: Self.composed)?.room == "1")
        #expect(try store.get(Sensor.self, id: Self.decomposed)?.room == "2")
    }

    @Test func `an update cannot reach another record by an id that Swift calls equal`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            let mine = try tx.insert(Sensor(id: Self.composed, room: "1", serial: "1"))
            try tx.insert(Sensor(id: Self.decomposed, room: "2", serial: "2"))
            let closure = storeError {
                _ = try tx.update(Sensor.self, id: Self.composed) {
                    $0.id = Self.decomposed
                    $0.serial = "3"
                }
            }
            #expect(closure?.code == .invalidValue)
            var other = mine
            other.id = Self.decomposed
            other.serial = "3"
            let conditional = storeError { try tx.update(other, ifUnchanged: mine) }
            #expect(conditional?.code == .invalidValue)
        }
        #expect(try store.get(Sensor.self, id: Self.decomposed)?.serial == "2")
    }

    @Test func `an update cannot change the id, and says so`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            try tx.insert(Sensor(id: "a", room: "1", serial: "1"))
            let error = storeError { _ = try tx.update(Sensor.self, id: "a") { $0.id = "b" } }
            #expect(error?.code == .invalidValue)
            #expect(error?.remedy != nil)
        }
        #expect(try store.all(Sensor.self).map(\.id) == ["a"])
    }
}
