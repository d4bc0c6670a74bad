import Foundation
import ModelStore
import Testing

@Suite("A store of macro-made records") struct StoreTests {
    static func sensor(_ number: Int, room: String = "kitchen") -> Sensor {
        Sensor(id: "s\(number)", room: room, serial: "A-\(number)", celsius: 21.5)
    }

    @Test func `A written record is read back, by id and by a unique field`() async throws {
        let store = try Store.temporary(records: Sensor.self, Account.self)
        let sensor = Self.sensor(1)
        let committed = try await store.write(returning: .position) { try $0.insert(sensor) }
        #expect(committed.result == sensor)
        #expect(committed.position.sequence == (try store.position.sequence))
        #expect(try store.read { try $0.get(Sensor.self, id: "s1") } == sensor)
        #expect(try store.read { try $0.get(Sensor.self, unique: \.serial, equals: "A-1") } == sensor)
        #expect(try store.read { try $0.value(Sensor.self, id: "s1", \.celsius) } == 21.5)
        let note = try store.read { try $0.value(Sensor.self, id: "s1", \.note) }
        #expect(note == .some(nil))
        #expect(try store.read { try $0.get(Sensor.self, id: "s2") } == nil)
        #expect(try store.read { try $0.contains(Sensor.self, id: "s1") })
        #expect(try store.read { try $0.count(Sensor.self) } == 1)
    }

    @Test func `The transaction fills in assigned ids, its time and fresh identifiers`() async throws {
        let time = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
        var options = StoreOptions()
        options.clock = { time }
        let store = try Store.temporary(records: Account.self, options: options)
        let first = try await store.write { try $0.insert(Account(email: "a@b", balance: 3)) }
        let second = try await store.write { try $0.insert(Account(email: "c@d", balance: 4)) }
        #expect(first.id == 1 && second.id == 2)
        #expect(first.opened == time)
        #expect(first.token != .newID && first.token != second.token)
        #expect(try store.read { try $0.get(Account.self, id: 1) } == first)
        let given = Date(timeIntervalSinceReferenceDate: 5)
        let old = try await store.write { try $0.insert(Account(id: 9, email: "e@f", balance: 0, opened: given)) }
        #expect(old.opened == given)
        let next = try await store.write { try $0.insert(Account(email: "g@h", balance: 0)) }
        #expect(next.id == 10)
    }

    @Test func `An id that the store assigned is never assigned again, though its record is deleted`() async throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Account.self)
        try await store.write { tx in
            let account = try tx.insert(Account(email: "a@b", balance: 3))
            try tx.delete(Account.self, id: account.id)
        }
        store.close()
        let again = try Store(at: directory.path, records: Account.self)
        let next = try await again.write { try $0.insert(Account(email: "c@d", balance: 3)) }
        #expect(next.id == 2)
    }

    @Test func `A second record under an id or with a unique value is refused and changes nothing`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        try await store.write { try $0.insert(Self.sensor(1)) }
        try await expectError(.recordExists) {
            try await store.write { try $0.insert(Sensor(id: "s1", room: "attic", serial: "B")) }
        }
        try await expectError(.uniqueViolation) {
            try await store.write { try $0.insert(Sensor(id: "s2", room: "attic", serial: "A-1")) }
        }
        #expect(try store.read { try $0.all(Sensor.self) } == [Self.sensor(1)])
        #expect(try store.position.sequence == 2)
    }

    @Test func `A closure that catches an error goes on as if the operation had not been`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        try await store.write { tx in
            try tx.insert(Self.sensor(1))
            do {
                try tx.insert(Sensor(id: "s2", room: "attic", serial: "A-1"))
                Issue.record("the second serial A-1 was taken")
            } catch let error as StoreError {
                #expect(error.code == .uniqueViolation)
            }
            try tx.insert(Self.sensor(2, room: "attic"))
        }
        #expect(try store.read { try $0.all(Sensor.self) } == [Self.sensor(1), Self.sensor(2, room: "attic")])
    }

    @Test func `Conditional writes hold only if the record is as expected`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let original = Self.sensor(1)
        try await store.write { try $0.insert(original) }
        var warmer = original
        warmer.celsius = 30
        let changed = warmer
        try await store.write { try $0.update(changed, ifUnchanged: original) }
        try await expectError(.conditionNotMet) {
            try await store.write { try $0.update(original, ifUnchanged: original) }
        }
        try await expectError(.conditionNotMet) {
            try await store.write {
                try $0.update(Sensor.self, id: "s1", where: { $0.celsius < 20 }) { $0.celsius = 0 }
            }
        }
        try await expectError(.conditionNotMet) { try await store.write { try $0.delete(ifUnchanged: original) } }
        try await expectError(.invalidValue) {
            try await store.write { try $0.update(Sensor.self, id: "s1") { $0.id = "other" } }
        }
        #expect(try store.read { try $0.get(Sensor.self, id: "s1") } == changed)
        try await store.write { try $0.delete(ifUnchanged: changed) }
        #expect(try store.read { try $0.count(Sensor.self) } == 0)
    }

    @Test func `A composite id finds its record, and ids keep their order`() async throws {
        let store = try Store.temporary(records: Stock.self)
        let stocks = [Stock(warehouse: -1, sku: "b", count: 1), Stock(warehouse: 2, sku: "a", count: 2)]
        try await store.write { tx in for stock in stocks.reversed() { try tx.insert(stock) } }
        #expect(try store.read { try $0.get(Stock.self, id: .init(warehouse: 2, sku: "a")) } == stocks[1])
        #expect(try store.read { try $0.all(Stock.self) } == stocks)
    }

    @Test func `Every kind of field comes back as it was`() async throws {
        let store = try Store.temporary(records: Everything.self)
        for record in [Everything.ordinary, Everything.extreme] {
            try await store.write { try $0.upsert(record) }
            #expect(try store.read { try $0.get(Everything.self, id: record.key) } == record)
        }
        #expect(try store.read { try $0.value(Everything.self, id: "o", \.place.city) } == "Ulm")
    }

    @Test func `A schema that differs from the store's is refused with the differences`() throws {
        let directory = try TestDirectory()
        try Store(at: directory.path, records: Sensor.self).close()
        let error = #expect(throws: StoreError.self) { try Store(at: directory.path, records: OtherSensor.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("celsius") == true)
    }

    @Test func `A backup opens as a store of its own with a new epoch`() async throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path + "/a", records: Sensor.self)
        try await store.write { try $0.insert(Self.sensor(1)) }
        try store.backup(to: directory.path + "/b")
        #expect(throws: StoreError.self) { try store.backup(to: directory.path + "/b") }
        let copy = try Store(at: directory.path + "/b", records: Sensor.self)
        #expect(try copy.read { try $0.all(Sensor.self) } == [Self.sensor(1)])
        let (position, copied) = (try store.position, try copy.position)
        #expect(copied.store == position.store && copied.sequence == position.sequence)
        #expect(copied.epoch != position.epoch)
        #expect(Position(copied.description) == copied)
    }

    @Test func `An update or upsert whose record holds default tokens keeps the stored values`() async throws {
        let store = try Store.temporary(records: Account.self)
        let first = try await store.write { try $0.insert(Account(email: "a@b", balance: 3)) }
        try await store.write { try $0.update(Account(id: 1, email: "c@d", balance: 4)) }
        let updated = try store.read { try $0.get(Account.self, id: 1) }
        #expect(updated?.opened == first.opened && updated?.token == first.token && updated?.balance == 4)
        let upserted = try await store.write { try $0.upsert(Account(id: 1, email: "e@f", balance: 5)) }
        #expect(upserted.opened == first.opened && upserted.token == first.token && upserted.balance == 5)
    }

    @Test func `Default tokens of optional fields are filled in`() async throws {
        let store = try Store.temporary(records: Visit.self)
        let visit = try await store.write { try $0.insert(Visit(id: 1)) }
        #expect(visit.at != nil && visit.at != .transactionTime)
        #expect(visit.token != nil && visit.token != .newID)
    }

    @Test func `An insert that is refused takes no assigned id`() async throws {
        let store = try Store.temporary(records: Account.self)
        try await store.write { tx in
            try tx.insert(Account(email: "a@b", balance: 3))
            do {
                try tx.insert(Account(id: 99, email: "a@b", balance: 3))
                Issue.record("the second a@b was taken")
            } catch let error as StoreError {
                #expect(error.code == .uniqueViolation)
            }
        }
        let next = try await store.write { try $0.insert(Account(email: "c@d", balance: 3)) }
        #expect(next.id == 2)
    }

    @Test func `A second open of a directory shares the store, and one for reading only cannot write`() async throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Sensor.self)
        var options = StoreOptions()
        options.isReadOnly = true
        let reader = try Store(
            at: directory.path + "/../" + lastPart(directory.path), records: Sensor.self, options: options)
        try await store.write { try $0.insert(Self.sensor(1)) }
        #expect(try reader.read { try $0.count(Sensor.self) } == 1)
        try await expectError(.readOnly) { try await reader.write { try $0.insert(Self.sensor(2)) } }
        store.close()
        try await expectError(.closed) { try await store.write { try $0.insert(Self.sensor(2)) } }
        #expect(try reader.read { try $0.count(Sensor.self) } == 1)
        await reader.shutdown()
    }

    @Test func `A store whose last reference goes inside a write closure closes by itself`() async throws {
        let directory = try TestDirectory()
        do {
            let store = try Store(at: directory.path, records: Sensor.self)
            try await store.write { [store] tx in
                try tx.insert(Self.sensor(1))
                #expect(store.path == directory.path)
            }
        }
        let again = try Store(at: directory.path, records: Sensor.self)
        #expect(try again.read { try $0.count(Sensor.self) } == 1)
    }

    private func lastPart(_ path: String) -> String { URL(filePath: path).lastPathComponent }
}
