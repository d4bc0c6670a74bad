import ModelStore
import TestSupport
import Testing

/// Several live queries in one sequence, and live queries that watch some fields.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct JoinedQueryTests {
    private static let all = Sensor.order { $0.id.ascending }

    @Test func `the members of joined results are looked up without a type, as in a single result`() async throws {
        let store = try ModelTests.store(sensors: 2)
        var updates = store.updates(of: Self.all, Sensor.where { $0.celsius > 20 }, Self.all.limit(1))
            .makeAsyncIterator()
        let update = try #require(try await updates.next())
        #expect(update.results.0.first?.celsius == update.results.2.first?.celsius)
        #expect(update.results.1.first?.note == nil && update.results.0.count == 2)
        #expect(update.changes.1.isReset)
        let (sensors, _, first) = update.results
        #expect(sensors.first?.id == first.first?.id)
        let named: JoinedUpdate<Sensor, Sensor, Sensor> = update
        #expect(named.results.0.map(\.id) == ["s0", "s1"])
    }

    @Test func `a request that watches some fields joins with one that watches all`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let watching = Self.all.limit(1).watching(\.celsius)
        var updates = store.updates(of: watching, Self.all.offset(1)).makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "not watched" } }
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.note = "watched" } }
        let second = try #require(try await updates.next())
        #expect(second.changes.0.updates.isEmpty && second.changes.1.updates.map(\.new.note) == ["watched"])
        #expect(second.results.0.first?.note == nil)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
        let third = try #require(try await updates.next())
        #expect(third.changes.0.updates.map(\.new.celsius) == [9] && third.changes.1.updates.isEmpty)
    }

    @Test func `the watched fields belong to the request: they add up, and a fetch ignores them`()
        async throws
    {
        let store = try ModelTests.store(sensors: 2)
        let both = Self.all.watching(\.celsius).watching(\.note)
        #expect(both == Self.all.watching(\.celsius, \.note) && both != Self.all && both != Self.all.watching(\.note))
        #expect(try store.fetch(both) == store.fetch(Self.all))
        let query = try store.liveQuery(Self.all.watching(\.celsius).where { $0.celsius > 0 }.limit(5))
        var updates = query.updates.makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "not watched" } }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
        let update = try #require(try await updates.next())
        #expect(update.changes.updates.map(\.new.celsius) == [9])
        // From here on, the query watches all fields.
        try query.reconfigure(to: Self.all)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.note = "watched" } }
        #expect(try await updates.next()?.results.map(\.note) == ["not watched", "watched"])
    }
}
