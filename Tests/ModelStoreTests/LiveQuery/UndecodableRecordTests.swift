import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// A record with a field whose stored type, any integer, has more values than its Swift type.
@Record private struct Probe {
    @ID var id: String
    var celsius: Double = 20
    var mode: Mode = Mode.off
}

/// Live queries over records in which another program has stored values that their Swift type lacks.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct UndecodableRecordTests {
    private static let all = FetchRequest(Probe.self).order { $0.id.ascending }

    private static func store() async throws -> Store {
        let store = try Store.temporary(records: Probe.self, Sensor.self)
        try await store.write { tx in for number in 0..<3 { try tx.insert(Probe(id: "p\(number)")) } }
        return store
    }

    /// Writes a mode as a program without the Swift type does.
    private static func put(_ mode: Int64, in id: String, _ store: Store) async throws {
        try await store.write { tx in
            let index = try tx._reading.catalog.requireTypeIndex(named: "Probe")
            guard var record = try tx._reading.dynamicRecord(id: [.string(id)], typeIndex: index) else { return }
            record.values[2] = .int(mode)
            _ = try tx.put(record, typeIndex: index, mode: .update)
        }
    }

    private static func heat(_ id: String, to celsius: Double, _ store: Store) async throws {
        try await store.write { try $0.update(Probe.self, id: id) { $0.celsius = celsius } }
    }

    private static func expectUnfit<T>(_ body: () async throws -> T) async {
        await #expect {
            _ = try await body()
        } throws: { error in
            (error as? StoreError)?.code == .valueDoesNotFit
        }
    }

    @Test func `one whose change is not told fails the next update, and is no crash`() async throws {
        let store = try await Self.store()
        var updates = store.updates(of: Self.all, fields: \.celsius).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.put(7, in: "p0", store)
        try await Self.heat("p1", to: 1, store)
        await Self.expectUnfit { try await updates.next() }
        try await Self.put(1, in: "p0", store)
        try await Self.heat("p1", to: 2, store)
        let update = try #require(try await updates.next())
        #expect(update.changes.isReset && update.results.map(\.celsius) == [20, 2, 20])
        #expect(update.results[0].mode == .on)
    }

    @Test func `one fails each update until it can be decoded, and then all rows come again`() async throws {
        let store = try await Self.store()
        var updates = store.updates(of: Self.all).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.put(7, in: "p0", store)
        await Self.expectUnfit { try await updates.next() }
        try await Self.heat("p1", to: 1, store)
        await Self.expectUnfit { try await updates.next() }
        try await Self.put(1, in: "p0", store)
        let update = try #require(try await updates.next())
        #expect(update.changes.isReset && update.results.map(\.celsius) == [20, 1, 20])
        try await Self.heat("p2", to: 2, store)
        #expect(try await updates.next()?.changes.updates.map(\.new.id) == ["p2"])
    }

    @Test func `one that a subscriber who goes on has not seen fails his first update`() async throws {
        let store = try await Self.store()
        try await Self.put(7, in: "p0", store)
        let position = try store.position
        try await Self.heat("p1", to: 1, store)
        var updates = store.updates(of: Self.all, since: position).makeAsyncIterator()
        await Self.expectUnfit { try await updates.next() }
    }

    @Test func `one in a joined query fails all until it can be decoded, and then all rows come again`() async throws {
        let store = try await Self.store()
        let sensors = Sensor.order { $0.id.ascending }
        var updates = store.updates(of: Self.all, sensors).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.put(7, in: "p0", store)
        await Self.expectUnfit { try await updates.next() }
        try await store.write { try $0.insert(ModelTests.sensor(1)) }
        await Self.expectUnfit { try await updates.next() }
        try await Self.put(1, in: "p0", store)
        let update = try #require(try await updates.next())
        #expect(update.changes.0.isReset && update.changes.1.isReset)
        let (probes, found) = update.results
        #expect(probes.map(\.mode) == [.on, .off, .off] && found.map(\.id) == ["s1"])
    }
}
