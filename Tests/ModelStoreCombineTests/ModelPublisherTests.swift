#if OpenCombine
import ModelStore
import ModelStoreCombine
import TestSupport
@unsafe @preconcurrency import OpenCombine
import Testing

/// Models as publishers.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ModelPublisherTests {
    @Test func `the current value comes before sink returns, then each other one`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Double>()
        let token = try store.model(Sensor.self, id: "s0").publisher(for: \.celsius).sink { received.note($0) }
        #expect(received.values == [20])
        for celsius in [21.0, 22, 23] {
            try await store.heat(to: celsius)
            await until { received.values.last == celsius }
        }
        #expect(received.values == [20, 21, 22, 23])
        token.cancel()
    }

    @Test func `the current value comes before sink returns on the main actor too`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        await MainActor.run {
            let received = Received<Double>()
            let token = model.publisher(for: \.celsius).sink { received.note($0) }
            #expect(received.values == [20])
            token.cancel()
        }
    }

    @Test func `equal values and changes of other fields are silent`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Double>()
        let token = try store.model(Sensor.self, id: "s0").publisher(for: \.celsius).sink { received.note($0) }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "cold" } }
        try await store.heat(to: 20)
        try await store.heat(to: 5)
        await until { received.values.last == 5 }
        #expect(received.values == [20, 5])
        token.cancel()
    }

    @Test func `several fields come together`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<String>()
        let token = try store.model(Sensor.self, id: "s0").publisher(for: \.celsius, \.note)
            .sink { received.note("\($0) \($1 ?? "-")") }
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s0") { sensor in
                sensor.celsius = 1
                sensor.note = "one"
            }
        }
        await until { received.values.count == 2 }
        #expect(received.values == ["20.0 -", "1.0 one"])
        token.cancel()
    }

    @Test func `assign sets a property of an object`() async throws {
        /// Only one thread at a time writes it, because the subscription calls it.
        final class Label: @unchecked Sendable {
            let shown = Received<Double>()
            var celsius = 0.0 { didSet { shown.note(celsius) } }
        }
        let store = try await Store.ofSensors()
        let label = Label()
        var tokens: Set<AnyCancellable> = []
        try store.model(Sensor.self, id: "s0").publisher(for: \.celsius).assign(to: \.celsius, on: label)
            .store(in: &tokens)
        try await store.heat(to: 30)
        await until { label.shown.values == [20, 30] }
        tokens = []
    }

    @Test func `nothing is delivered after cancelling, and cancelling twice is harmless`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let (cancelled, witness) = (Received<Double>(), Received<Double>())
        let first = model.publisher(for: \.celsius)
            .sink {
                cancelled.note($0)
            } receiveValue: {
                cancelled.note($0)
            }
        let second = model.publisher(for: \.celsius).sink { witness.note($0) }
        first.cancel()
        first.cancel()
        for celsius in [1.0, 2, 3] {
            try await store.heat(to: celsius)
            await until { witness.values.last == celsius }
        }
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        await until { model.isDeleted }
        #expect(cancelled.values == [20] && cancelled.ends == [])
        second.cancel()
    }

    @Test func `cancelling within a delivery ends it there`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Double>()
        let all = Received<Double>()
        let model = try store.model(Sensor.self, id: "s0")
        let token = model.publisher(for: \.celsius).prefix(2).sink {
            received.note($0)
        } receiveValue: {
            received.note($0)
        }
        let witness = model.publisher(for: \.celsius).sink { all.note($0) }
        for celsius in [1.0, 2, 3] {
            try await store.heat(to: celsius)
            await until { all.values.last == celsius }
        }
        #expect(received.values == [20, 1] && received.ends == ["finished"])
        token.cancel()
        witness.cancel()
    }

    @Test func `a set of tokens cancels together`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Double>()
        weak var model: Model<Sensor>?
        var tokens: Set<AnyCancellable> = []
        do {
            let own = try store.model(Sensor.self, id: "s0")
            model = own
            for _ in 0..<10 { own.publisher(for: \.celsius).sink { received.note($0) }.store(in: &tokens) }
        }
        try await store.heat(to: 1)
        await until { received.values.count == 20 }
        tokens.removeAll()
        await until { model == nil }
    }

    @Test func `a subscription keeps its model, until it is cancelled`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Double>()
        weak var model: Model<Sensor>?
        var token: AnyCancellable?
        do {
            let own = try store.model(Sensor.self, id: "s0")
            model = own
            token = own.publisher(for: \.celsius).sink { received.note($0) }
        }
        for celsius in [1.0, 2] {
            try await store.heat(to: celsius)
            await until { received.values.last == celsius }
        }
        #expect(model != nil)
        token?.cancel()
        await until { model == nil }
        token = nil
    }

    @Test func `a subscription without demand keeps its model and lets it go at once`() async throws {
        let store = try await Store.ofSensors()
        let asking = Asking<Double, Never>()
        weak var model: Model<Sensor>?
        do {
            let own = try store.model(Sensor.self, id: "s0")
            model = own
            own.publisher(for: \.celsius).subscribe(asking)
        }
        asking.ask(for: 1)
        #expect(asking.received.values == [20])
        #expect(model != nil)
        asking.cancel()
        await until { model == nil }
    }

    @Test func `demand is honoured, and what comes without merges to the newest`() async throws {
        let store = try await Store.ofSensors()
        let asking = Asking<Double, Never>()
        try store.model(Sensor.self, id: "s0").publisher(for: \.celsius).subscribe(asking)
        #expect(asking.received.values == [])
        asking.ask(for: 1)
        #expect(asking.received.values == [20])
        for celsius in [1.0, 2, 3] { try await store.heat(to: celsius) }
        #expect(asking.received.values == [20])
        asking.ask(for: 2)
        #expect(asking.received.values == [20, 3])
        try await store.heat(to: 4)
        await until { asking.received.values.count == 3 }
        try await store.heat(to: 5)
        #expect(asking.received.values == [20, 3, 4])
        asking.cancel()
    }

    @Test func `the record's deletion finishes, after all values`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let received = Received<Double>()
        let changes = Received<ModelChange<Sensor>.Kind>()
        let tokens = [
            model.publisher(for: \.celsius).sink {
                received.note($0)
            } receiveValue: {
                received.note($0)
            },
            model.changesPublisher.sink {
                changes.note($0)
            } receiveValue: {
                changes.note($0.kind)
            },
        ]
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        await until { received.ends == ["finished"] && changes.ends == ["finished"] }
        #expect(received.values == [20])
        #expect(changes.values == [.current, .deleted])
        for token in tokens { token.cancel() }
    }

    @Test(arguments: [0, 1])
    func `a value before the record's deletion comes before the end, without demand in between`(
        demand: Int
    ) async throws {
        let store = try await Store.ofSensors()
        let asking = Asking<Double, Never>()
        try store.model(Sensor.self, id: "s0").publisher(for: \.celsius).subscribe(asking)
        if demand > 0 { asking.ask(for: demand) }
        try await store.heat(to: 9)
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        asking.ask(for: 2)
        await until { asking.received.ends == ["finished"] }
        #expect(asking.received.values == (demand > 0 ? [20, 9] : [9]))
    }

    @Test func `closing the store finishes`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Double>()
        let model = try store.model(Sensor.self, id: "s0")
        let token = model.publisher(for: \.celsius).sink {
            received.note($0)
        } receiveValue: {
            received.note($0)
        }
        await store.shutdown()
        await until { received.ends == ["finished"] }
        #expect(received.values == [20])
        token.cancel()
    }

    @Test func `subscribing, cancelling and changing at the same time loses nothing`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        let received = Received<Double>()
                        let token = model.publisher(for: \.celsius).sink { received.note($0) }
                        await Task.yield()
                        token.cancel()
                        #expect(!received.values.isEmpty)
                        #expect(received.values == received.values.sorted())
                    }
                }
            }
            group.addTask {
                for step in 0..<300 { try await store.heat(to: 21 + Double(step)) }
            }
            try await group.waitForAll()
        }
        let received = Received<Double>()
        let token = model.publisher(for: \.celsius).sink { received.note($0) }
        #expect(received.values == [320])
        token.cancel()
    }
}
#endif
