import Foundation
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

    @Test func `messages name an id as it is written elsewhere, and a date that is no number, too`() throws {
        let store = try Store.temporary(records: Moment.self, Slot.self)
        try store.write { tx in
            let none = Date(timeIntervalSinceReferenceDate: .nan)
            let missing = storeError { _ = try tx.update(Moment.self, id: none) { $0.what = "" } }
            #expect(missing?.message == "there is no Moment with the id nan")
            try tx.insert(Moment(at: none, what: "never"))
            let refused = storeError {
                _ = try tx.update(Moment.self, id: none, where: { _ in false }) { $0.what = "" }
            }
            #expect(refused?.code == .conditionNotMet)
            // A NaN equals no value, not even itself. Its key equals itself.
            try tx.update(Moment.self, id: none) { $0.what = "once" }
            let slot = storeError {
                _ = try tx.update(Slot.self, id: Slot.ID(room: "blue", hour: 8)) { $0.guest = nil }
            }
            #expect(slot?.message == "there is no Slot with the id (blue, 8)")
        }
        #expect(try store.all(Moment.self).map(\.what) == ["once"])
        #expect(try store.findings() == [])
    }
}
