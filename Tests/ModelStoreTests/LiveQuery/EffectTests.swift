import ModelStore
import Observation
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// Closures that rerun when the data that they read changes.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct EffectTests {
    /// The values that the runs of an effect have seen, to wait for.
    final class Seen<Value: Sendable & Equatable>: Sendable {
        private let values = Mutex<[Value]>([])
        private let stream = AsyncStream<Value>.makeStream()

        func add(_ value: Value) {
            values.withLock { $0.append(value) }
            stream.continuation.yield(value)
        }

        var all: [Value] { values.withLock { $0 } }

        /// Waits until a run has seen the value. Lists the values of the runs if the test's time is over.
        func until(_ value: Value) async {
            for await seen in stream.stream where seen == value { return }
            Issue.record("no run has seen \(value): the last ones saw \(all.suffix(20))")
        }
    }

    @Test func `runs again once for each step that changed what it read, and for nothing else`() async throws {
        let store = try ModelTests.store(sensors: 3)
        let model = try store.model(Sensor.self, id: "s0")
        let hot = try store.liveQuery(LiveQueryTests.hot)
        let seen = Seen<String>()
        let effect = store.observe { seen.add("\(model.celsius) \(try hot.results.count)") }
        await seen.until("20.0 0")
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "not read" } }
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 25 } }
        // Both changes are in one change set.
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s0") { $0.celsius = 40 }
            try tx.update(Sensor.self, id: "s1") { $0.celsius = 41 }
        }
        await seen.until("40.0 2")
        #expect(seen.all == ["20.0 0", "40.0 2"])
        effect.cancel()
        try await effect.waitUntilEnded()
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 50 } }
        #expect(seen.all.count == 2)
    }

    @MainActor @Observable final class Threshold {
        var value = 0

        func follow(_ store: Store, _ model: Model<Sensor>, _ seen: Seen<Bool>) -> Effect {
            store.observe(isolation: MainActor.shared) { seen.add(model.celsius > Double(self.value)) }
        }
    }

    @Test func `other observable objects of its actor count too`() async throws {
        let store = try ModelTests.store()
        let model = try store.model(Sensor.self, id: "s0")
        let threshold = await Threshold()
        let seen = Seen<Bool>()
        let effect = await threshold.follow(store, model, seen)
        await seen.until(true)
        await MainActor.run { threshold.value = 30 }
        await seen.until(false)
        withExtendedLifetime(effect) {}
    }

    actor Counter {
        private(set) var sum = 0.0
        private(set) var runs = 0

        func follow(_ store: Store, _ model: Model<Sensor>, _ seen: Seen<Double>) -> Effect {
            store.observe(isolation: self) {
                self.sum += model.celsius
                self.runs += 1
                seen.add(model.celsius)
            }
        }
    }

    @Test func `runs on the actor of its choice`() async throws {
        let store = try ModelTests.store()
        let model = try store.model(Sensor.self, id: "s0")
        let seen = Seen<Double>()
        let counter = Counter()
        let effect = await counter.follow(store, model, seen)
        await seen.until(20)
        try await model.update { $0.celsius = 22 }
        await seen.until(22)
        #expect(await counter.sum == 42)
        withExtendedLifetime(effect) {}
    }

    @Test func `an error ends it, and so does the end of the store`() async throws {
        struct Trouble: Error {}
        let store = try ModelTests.store()
        let model = try store.model(Sensor.self, id: "s0")
        let failing = store.observe { if model.celsius > 30 { throw Trouble() } }
        let other = store.observe { _ = model.celsius }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 31 } }
        await #expect(throws: Trouble.self) { try await failing.waitUntilEnded() }
        store.close()
        await #expect(throws: StoreError.self) { try await other.waitUntilEnded() }
    }

    @Test func `what is read is of one position`() async throws {
        let store = try ModelTests.store(sensors: 4)
        let models = try (0..<4).map { try store.model(Sensor.self, id: "s\($0)") }
        let all = try store.liveQuery(Sensor.order { $0.id.ascending })
        let seen = Seen<Double>()
        let effect = store.observe {
            let shown = models.map(\.celsius)
            #expect(Set(shown).count == 1)
            let listed = try all.results.map(\.celsius)
            #expect(listed == shown)
            seen.add(shown[0])
        }
        for step in 1...300 {
            try await store.write { tx in
                for number in 0..<4 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = Double(100 + step) } }
            }
        }
        await seen.until(400)
        withExtendedLifetime(effect) {}
    }

    @Test func `what an effect has read and nobody else has stays, and is followed`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let seen = Seen<String>()
        let effect = store.observe {
            let model = try store.model(Sensor.self, id: "s0")
            let hot = try store.liveQuery(LiveQueryTests.hot)
            seen.add("\(model.celsius) \(try hot.results.count)")
        }
        await seen.until("20.0 0")
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 25 } }
        await seen.until("25.0 0")
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 50 } }
        await seen.until("25.0 1")
        let kept = store.ownership.report().objects
        #expect(kept.map(\.id) == ["s0"] && kept.first?.pins.map(\.kind) == [.borrower])
        #expect(store.liveQueryCount == 1)
        effect.cancel()
        try await effect.waitUntilEnded()
        #expect(store.liveQueryCount == 0 && store.ownership.report().objects.isEmpty)
    }

    @Test func `another request that is asked for while a run reads the old one is not missed`() async throws {
        let store = try ModelTests.store(sensors: 3)
        let query = try store.liveQuery(Sensor.order { $0.id.ascending })
        let seen = Seen<Int>()
        let effect = store.observe {
            let count = try query.results.count
            // The effect starts to observe only after this run ends.
            if count == 3 { try query.reconfigure(to: Sensor.order { $0.id.ascending }.limit(2)) }
            seen.add(count)
        }
        await seen.until(2)
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        try await store.write { try $0.delete(Sensor.self, id: "s1") }
        await seen.until(1)
        withExtendedLifetime(effect) {}
    }

    @Test func `a change during a run is noticed although another field changes after it`()
        async throws
    {
        let store = try ModelTests.store()
        let model = try store.model(Sensor.self, id: "s0")
        let seen = Seen<Double>()
        let effect = store.observe {
            let celsius = model.celsius
            // The effect starts to observe only after this run ends, so it has to find both commits by itself.
            if celsius == 20 {
                try store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 30 } }
                try store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "not read" } }
            }
            seen.add(celsius)
        }
        await seen.until(30)
        #expect(seen.all == [20, 30])
        withExtendedLifetime(effect) {}
    }

    /// The number of runs in several tasks, as in a probe of Observation without the store. That probe loses changes made just as
    /// an effect arms.
    static let runCount = TestLength.runs(2_000, long: 100_000)

    @Test func `no change is lost between reading and watching`() async throws {
        let store = try ModelTests.store(sensors: 8)
        let runs = Self.runCount / 8
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let model = try store.model(Sensor.self, id: "s\(number)")
                group.addTask {
                    for run in 1...runs {
                        let seen = Seen<Double>()
                        let effect = store.observe { seen.add(model.celsius) }
                        try await store.write(durability: .relaxed) {
                            try $0.update(Sensor.self, id: "s\(number)") { $0.celsius = Double(1_000 + run) }
                        }
                        // A lost change would make this wait forever, until the suite's time limit.
                        await seen.until(Double(1_000 + run))
                        effect.cancel()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `what a run has read is stale once a result of it has changed`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let hot = try store.liveQuery(LiveQueryTests.hot)
        let log = ReadLog()
        #expect(try log.noting { try hot.results.isEmpty })
        #expect(!log.isStale)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.note = "not read" } }
        #expect(!log.isStale)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 40 } }
        #expect(log.isStale)
    }
}
