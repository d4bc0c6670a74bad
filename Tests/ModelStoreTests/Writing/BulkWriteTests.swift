import ModelStore
import Testing

@Suite("Writing all records of a request") struct BulkWriteTests {
    private static func store(count: Int) async throws -> Store {
        let store = try Store.temporary(records: Sensor.self)
        try await store.write { tx in
            for number in 0..<count {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", room: number.isMultiple(of: 2) ? "kitchen" : "attic", serial: "A-\(number)",
                        celsius: Double(number)))
            }
        }
        return store
    }

    @Test func `An update changes each record that the request finds, once, as one change set`() async throws {
        let store = try await Self.store(count: 10)
        let before = try store.position
        // A changed record still meets the condition, but is not changed twice.
        let count = try await store.write { tx in
            try tx.update(Sensor.where { $0.celsius >= 4 }.order { $0.celsius.ascending }) { $0.celsius += 100 }
        }
        #expect(count == 6)
        let ascending = try store.fetch(Sensor.order { $0.celsius.ascending }).map(\.celsius)
        #expect(ascending == [0, 1, 2, 3] + (104...109).map(Double.init))
        #expect(try store.position.sequence == before.sequence + 1)
        let hottest = Sensor.order { $0.celsius.descending }.limit(2)
        let few = try await store.write { try $0.update(hottest) { $0.note = "top" } }
        #expect(few == 2)
        #expect(try store.fetch(Sensor.where { $0.note == "top" }).map(\.id).sorted() == ["s8", "s9"])
        let none = try await store.write { try $0.update(Sensor.where { $0.room == "cellar" }) { $0.celsius = 0 } }
        #expect(none == 0)
    }

    @Test func `All records of a type have a request, an update and a deletion of their own`() async throws {
        let store = try await Self.store(count: 4)
        #expect(Sensor.all == FetchRequest(Sensor.self))
        #expect(try store.fetch(Sensor.all.limit(2)).count == 2)
        var updates = store.updates(of: Sensor.self).makeAsyncIterator()
        #expect(try await updates.next()?.results.count == 4)
        try await store.write { tx in
            let exist = [try tx.exists(Sensor.self, id: "s0"), try tx.exists(Sensor.self, id: "none")]
            let counts = [try tx.deleteAll(Sensor.self), try tx.deleteAll(Sensor.self)]
            let existsStill = try tx.exists(Sensor.self, id: "s0")
            #expect(exist == [true, false] && counts == [4, 0] && !existsStill)
        }
        #expect(try await updates.next()?.results.isEmpty == true)
        #expect(try store.read { try $0.exists(Sensor.self, id: "s0") } == false)
    }

    @Test func `Indexes follow, also the one by which the records were found`() async throws {
        let store = try await Self.store(count: 10)
        try await store.write { try $0.update(Sensor.where { $0.room == "attic" }) { $0.room = "kitchen" } }
        #expect(try store.count(Sensor.where { $0.room == "attic" }) == 0)
        #expect(try store.count(Sensor.where { $0.room == "kitchen" }) == 10)
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `A change that fails leaves nothing, even where the closure goes on`() async throws {
        let store = try await Self.store(count: 4)
        try await expectError(.uniqueViolation) {
            try await store.write { tx in
                _ = try? tx.update(Sensor.where { $0.celsius < 9 }) { $0.serial = "same" }
            }
        }
        try await expectError(.invalidValue) {
            try await store.write { tx in try tx.update(Sensor.where { $0.celsius < 9 }) { $0.id += "x" } }
        }
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await store.write { tx in
                try tx.update(Sensor.where { $0.celsius < 9 }) { sensor in
                    if sensor.id == "s2" { throw Stop() }
                    sensor.celsius = 50
                }
            }
        }
        #expect(try store.fetch(Sensor.order { $0.id.ascending }).map(\.celsius) == [0, 1, 2, 3])
        #expect(try store.exists(Sensor.self, id: "s1"))
    }

    @Test func `A delete removes each record that the request finds, up to its limit`() async throws {
        let store = try await Self.store(count: 10)
        #expect(try await store.write { try $0.delete(Sensor.where { $0.room == "attic" }.limit(2)) } == 2)
        #expect(try store.count(Sensor.self) == 8)
        #expect(try await store.write { try $0.delete(Sensor.where { $0.room == "attic" }) } == 3)
        #expect(try await store.write { try $0.delete(Sensor.where { $0.room == "attic" }) } == 0)
        #expect(try store.fetch(Sensor.order { $0.id.ascending }).map(\.room) == Array(repeating: "kitchen", count: 5))
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `A store is read without a closure`() async throws {
        let store = try await Self.store(count: 3)
        #expect(try store.get(Sensor.self, id: "s1")?.celsius == 1)
        #expect(try store.get(Sensor.self, id: "s7") == nil)
        #expect(try store.get(Sensor.self, unique: \.serial, equals: "A-2")?.id == "s2")
        #expect(try store.fetch(Sensor.where { $0.room == "kitchen" }).count == 2)
        #expect(try store.first(Sensor.order { $0.celsius.descending })?.id == "s2")
        #expect(try store.count(Sensor.where { $0.celsius > 0 }) == 2)
        #expect(try store.count(Sensor.self) == 3)
        #expect(try store.exists(Sensor.where { $0.celsius > 1 }))
        #expect(try !store.exists(Sensor.self, id: "s9"))
        store.close()
        #expect { try store.count(Sensor.self) } throws: { ($0 as? StoreError)?.code == .closed }
    }

    @Test func `A write returns what its closure returns, and the position on request`() async throws {
        let store = try await Self.store(count: 1)
        let name: String = try await store.write { tx in try tx.insert(Sensor(id: "n", room: "r", serial: "n")).id }
        #expect(name == "n")
        let written = try await store.write(returning: .position) { tx in try tx.delete(Sensor.self, id: "n") }
        #expect(written.result)
        #expect(written.position == (try store.position))
    }
}
