import Dispatch
import Foundation
import ModelStore
import Observation
import StoreRuntime
import TestSupport
import Testing

/// Live queries that resume from a position at which the subscriber knew their results.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ResumedQueryTests {
    @Test func `any request's results at any earlier position can be told`() async throws {
        for seed in TestLength.seeds(12, long: 12) { try await Self.check(seed) }
    }

    private static func check(_ seed: UInt64) async throws {
        var random = Random(state: seed)
        let store = try ModelTests.store(sensors: 20)
        let least = Double(random.below(60))
        let wide = Sensor.where { $0.celsius > least }
        let requests = [
            Sensor.order { $0.celsius.descending }, wide, wide.order { $0.celsius.ascending }.limit(random.below(6)),
            wide.order { $0.celsius.descending }.limit(1 + random.below(8)).offset(random.below(5)),
            Sensor.order { $0.note.ascending }.limit(4),
        ]
        var past: [(position: Position, rows: [[Sensor]])] = []
        for _ in 0..<40 {
            past.append((try store.position, try requests.map { request in try store.read { try $0.fetch(request) } }))
            let moves = (0..<(1 + random.below(6))).map { _ in (random.below(30), random.below(4), random.below(100)) }
            try await store.write { tx in
                for (number, kind, value) in moves {
                    let id = "s\(number)"
                    let known = try tx.get(Sensor.self, id: id) != nil
                    switch (kind, known) {
                    case (_, false): try tx.insert(ModelTests.sensor(number, celsius: Double(value)))
                    case (0, _): try tx.delete(Sensor.self, id: id)
                    case (1, _): try tx.update(Sensor.self, id: id) { $0.note = "\(value % 7)" }
                    default: try tx.update(Sensor.self, id: id) { $0.celsius = Double(value) }
                    }
                }
            }
        }
        var toldCount = 0
        for (position, rows) in past {
            for (request, old) in zip(requests, rows) {
                var updates = store.updates(of: request, since: position).makeAsyncIterator()
                let update = try #require(try await updates.next())
                let now = try store.read { try $0.fetch(request) }
                #expect(Array(update.results) == now, "seed \(seed)")
                // A reset contains no information about the old rows.
                if update.changes.isReset { continue }
                toldCount += 1
                #expect(update.changes.applied(to: old, results: update.results) == now, "seed \(seed), \(position)")
                #expect(update.changes.deletes.allSatisfy { old[$0.index] == $0.record }, "seed \(seed), \(position)")
            }
        }
        #expect(toldCount > past.count * requests.count / 2, "seed \(seed)")
    }

    private static let hot = Sensor.where { $0.celsius > 30 }

    @Test func `the first update comes at once, even where nothing has changed, and later ones follow`() async throws {
        let store = try ModelTests.store(sensors: 2)
        var updates = store.updates(of: Self.hot, since: try store.position).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.results.isEmpty && first.changes.inserts.isEmpty && !first.changes.isReset)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 40 } }
        #expect(try await updates.next()?.changes.inserts.map(\.record.id) == ["s1"])
    }

    @Test func `who has seen a commit elsewhere is not taken back behind it`() async throws {
        let store = try ModelTests.store(sensors: 1)
        let query = try store.liveQuery(Self.hot)
        let (entered, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Pauses the step after it applies the change and before it publishes it.
        withObservationTracking {
            #expect((try? query.results.isEmpty) == true)
        } onChange: {
            entered.signal()
            mayGo.wait()
        }
        let writing = Task { try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 40 } } }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                entered.wait()
                continuation.resume()
            }
        }
        let seen = try store.position
        // When this call returns, the task is waiting or has ended.
        let reading = Task.immediate {
            var updates = store.updates(of: Self.hot, since: seen).makeAsyncIterator()
            return try await updates.next()
        }
        mayGo.signal()
        let first = try #require(try await reading.value)
        #expect(first.results.map(\.id) == ["s0"] && first.position == seen)
        #expect(first.changes.deletes.isEmpty && !first.changes.isReset)
        _ = try await writing.value
    }

    @Test func `a record that was deleted and inserted again is replaced`() async throws {
        let store = try ModelTests.store(sensors: 1)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 40 } }
        let position = try store.position
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        try await store.write { try $0.insert(ModelTests.sensor(0, celsius: 40)) }
        var updates = store.updates(of: Self.hot, since: position).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.changes.updates.map(\.isReplaced) == [true] && first.changes.deletes.isEmpty)
    }

    @Test func `positions that the feed does not lead from give a reset`() async throws {
        let store = try ModelTests.store(sensors: 1)
        let other = try ModelTests.store(sensors: 1)
        var updates = store.updates(of: Self.hot, since: try other.position).makeAsyncIterator()
        #expect(try await updates.next()?.changes.isReset == true)
    }

    @Test func `a request through references goes on only where nothing that it reads has changed`() async throws {
        let store = try Store.temporary(records: House.self, Tenant.self, Club.self, Sensor.self)
        try await store.write { tx in
            try tx.insert(House(id: "a", name: "Main"))
            try tx.insert(Tenant(id: 1, house: "a"))
        }
        let request = Tenant.where { $0.house.name == "Main" }
        let position = try store.position
        func isReset() async throws -> Bool? {
            var updates = store.updates(of: request, since: position).makeAsyncIterator()
            return try await updates.next()?.changes.isReset
        }
        try await store.write { try $0.insert(ModelTests.sensor(1)) }
        #expect(try await isReset() == false)
        try await store.write { try $0.update(House.self, id: "a") { $0.name = "Side" } }
        #expect(try await isReset() == true)
    }

    @Test func `the results of another request are not continued`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let query = try store.liveQuery(Self.hot)
        let steps = try query.steps()
        let step = try #require(steps.poll())
        let (position, fingerprint) = (step.new.position, steps.fingerprint(step))
        #expect(try query.steps(since: position, of: fingerprint).isResumed)
        try query.reconfigure(to: Sensor.where { $0.celsius > 10 })
        #expect(try !query.steps(since: position, of: fingerprint).isResumed)
        #expect(try query.steps(since: position).isResumed)
    }
}

/// Random numbers that a seed repeats.
private struct Random {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
