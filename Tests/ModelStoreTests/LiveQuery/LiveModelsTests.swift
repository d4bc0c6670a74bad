import ModelStore
import TestSupport
import Testing

/// The results of a live query as models.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveModelsTests {
    private static let byWarmth = Sensor.order { $0.celsius.descending }

    @Test func `they are the models of the results, in their order`() async throws {
        let store = try ModelTests.store(sensors: 3)
        let query = try store.liveQuery(Self.byWarmth)
        let model = try store.model(Sensor.self, id: "s1")
        #expect(try query.models.map(\.id) == ["s2", "s1", "s0"])
        #expect(try query.models[1] === model)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 99 } }
        #expect(try query.models.map(\.id) == ["s1", "s2", "s0"])
        #expect(try query.models.first === model)
    }

    @Test func `who reads them hears of records that come, go and move, and of the fields that he reads`() async throws
    {
        let store = try ModelTests.store(sensors: 3)
        let query = try store.liveQuery(Self.byWarmth.limit(2))
        let order = EffectTests.Seen<String>()
        let warmth = EffectTests.Seen<String>()
        let effects = [
            store.observe { order.add(try query.models.map(\.id).joined(separator: " ")) },
            store.observe { warmth.add(try query.models.prefix(1).map { "\($0.id) \($0.celsius)" }.joined()) },
        ]
        func write(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) async throws {
            try await store.write { tx in try body(&tx) }
        }
        await order.until("s2 s1")
        await warmth.until("s2 20.0")
        try await write { try $0.update(Sensor.self, id: "s2") { $0.note = "read by nobody" } }
        try await write { try $0.update(Sensor.self, id: "s2") { $0.celsius = 30 } }
        await warmth.until("s2 30.0")
        try await write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 25 } }
        try await write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 40 } }
        await order.until("s1 s2")
        await warmth.until("s1 40.0")
        try await write { try $0.delete(Sensor.self, id: "s2") }
        await order.until("s1 s0")
        try await write { try $0.delete(Sensor.self, id: "s1") }
        await order.until("s0")
        #expect(order.all == ["s2 s1", "s1 s2", "s1 s0", "s0"])
        #expect(warmth.all.prefix(3) == ["s2 20.0", "s2 30.0", "s1 40.0"])
        withExtendedLifetime(effects) {}
    }

    @Test func `a record that has gone since is shown as it was`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let query = try store.liveQuery(Self.byWarmth)
        let old = try query.models
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        let gone = old[1]
        #expect(gone.id == "s0" && gone.celsius == 20 && gone.isDeleted)
        #expect(try query.models.count == 1 && old.count == 2)
        #expect(!old[0].isDeleted)
        #expect(throws: StoreError.self) { try store.model(Sensor.self, id: "s0") }
    }

    @Test func `a view shows its own records' models, also those that have gone since`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let query = try store.liveQuery(Self.byWarmth.limit(2))
        // The query loads its models here. The view then has the same records in the same order.
        #expect(try query.models.count == 2)
        try ModelTests.write(store) { tx in
            try tx.update(Sensor.self, id: "s0") { $0.celsius = 19 }
            try tx.insert(Sensor(id: "s9", room: "hall", serial: "A-9", celsius: 1))
        }
        try store.view { _ in
            try ModelTests.elsewhere {
                try ModelTests.write(store) { tx in
                    try tx.delete(Sensor.self, id: "s0")
                    try tx.update(Sensor.self, id: "s1") { $0.celsius = 99 }
                }
            }
            let shown = try query.models.map { "\($0.id) \($0.celsius) \($0.isDeleted)" }
            #expect(shown == ["s1 20.0 false", "s0 19.0 false"])
            let model = try store.model(Sensor.self, id: "s0")
            #expect(model.celsius == 19 && !model.isDeleted)
        }
        #expect(try query.models.map { "\($0.id) \($0.celsius)" } == ["s1 99.0", "s9 1.0"])
    }

    @Test func `lazy results decode what is asked for, and are what the results are`() async throws {
        let store = try ModelTests.store(sensors: 25)
        let query = try store.liveQuery(Self.byWarmth.offset(1))
        let lazily = try query.lazyResults
        #expect(try lazily.map { try $0.id } == query.results.map(\.id))
        #expect(try lazily.map { try $0.record() } == Array(query.results))
        var sizes: [Int] = []
        try lazily.forEachBatch(of: 10) { records in
            sizes.append(records.count)
            return true
        }
        #expect(sizes == [10, 10, 4])
        try lazily.forEachBatch(of: 10) { _ in
            sizes.append(0)
            return false
        }
        #expect(sizes == [10, 10, 4, 0])
        #expect(throws: StoreError.self) { try lazily.forEachBatch(of: 0) { _ in true } }
        // Existing lazy results keep their content. New content appears in later ones.
        try await store.write { try $0.update(Sensor.self, id: "s3") { $0.note = "new" } }
        #expect(try lazily.allSatisfy { try $0.note == nil })
        #expect(try query.lazyResults.filter { try $0.note == "new" }.map { try $0.id } == ["s3"])
        #expect(LazyRecords<Sensor>().isEmpty)
    }
}
