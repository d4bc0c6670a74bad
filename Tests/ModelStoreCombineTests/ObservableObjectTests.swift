#if OpenCombine
import ModelStore
import ModelStoreCombine
import TestSupport
@unsafe @preconcurrency import OpenCombine
import Testing

/// Models as observable objects of OpenCombine.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ObservableObjectTests {
    /// Observes an object with code that does not know ModelStore.
    private static func observe<Object: ObservableObject>(
        _ object: Object, _ body: @escaping @Sendable () -> Void
    ) -> AnyCancellable {
        object.objectWillChange.sink { _ in body() }
    }

    @Test func `a model tells before it shows something else`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let received = Received<Double>()
        let token = Self.observe(model) { received.note(model.celsius) }
        #expect(received.values == [])
        try await store.heat(to: 30)
        #expect(received.values == [20] && model.celsius == 30)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "other" } }
        #expect(received.values == [20, 30])
        token.cancel()
        try await store.heat(to: 40)
        #expect(received.values == [20, 30])
    }

    @Test func `a write that changes nothing is silent`() async throws {
        let store = try await Store.ofSensors(2)
        let received = Received<Int>()
        let token = Self.observe(try store.model(Sensor.self, id: "s0")) { received.note(1) }
        try await store.heat(to: 20)
        try await store.heat("s1", to: 1)
        #expect(received.values == [])
        token.cancel()
    }

    @Test func `a subscription keeps its model, until it is cancelled`() async throws {
        let store = try await Store.ofSensors()
        weak var model: Model<Sensor>?
        let received = Received<Int>()
        var token: AnyCancellable?
        do {
            let own = try store.model(Sensor.self, id: "s0")
            model = own
            token = own.objectWillChange.sink { received.note(1) }
        }
        try await store.heat(to: 1)
        #expect(model != nil && received.values == [1])
        token = nil
        await until { model == nil }
        _ = token
    }

    @Test func `the deletion is told, and finishes and lets the model go`() async throws {
        let store = try await Store.ofSensors()
        weak var model: Model<Sensor>?
        let received = Received<Int>()
        var token: AnyCancellable?
        do {
            let own = try store.model(Sensor.self, id: "s0")
            model = own
            token = own.objectWillChange.sink {
                received.note($0)
            } receiveValue: {
                received.note(1)
            }
        }
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        await until { received.ends == ["finished"] }
        #expect(received.values == [1])
        await until { model == nil }
        token?.cancel()
    }

    @Test func `closing the store finishes, also for those who come later`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let received = Received<Int>()
        let token = model.objectWillChange.sink {
            received.note($0)
        } receiveValue: {
            received.note(1)
        }
        await store.shutdown()
        #expect(received.ends == ["finished"])
        let late = model.objectWillChange.sink {
            received.note($0)
        } receiveValue: {
            received.note(1)
        }
        #expect(received.ends == ["finished", "finished"] && received.values == [])
        token.cancel()
        late.cancel()
    }

    @Test func `subscribing and cancelling in a callback is harmless`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let received = Received<String>()
        let inner = Received<AnyCancellable>()
        let outer = model.objectWillChange.sink {
            received.note("outer")
            inner.values.last?.cancel()
            inner.note(model.objectWillChange.sink { received.note("inner") })
        }
        try await store.heat(to: 1)
        #expect(received.values == ["outer"])
        try await store.heat(to: 2)
        #expect(received.values == ["outer", "outer"])
        outer.cancel()
        try await store.heat(to: 3)
        #expect(received.values == ["outer", "outer", "inner"])
    }

    @Test func `without demand nothing is delivered`() async throws {
        let store = try await Store.ofSensors()
        let asking = Asking<Void, Never>()
        try store.model(Sensor.self, id: "s0").objectWillChange.subscribe(asking)
        try await store.heat(to: 1)
        asking.ask(for: 1)
        #expect(asking.received.values.count == 0)
        for celsius in [2.0, 3, 4] { try await store.heat(to: celsius) }
        #expect(asking.received.values.count == 1)
        asking.cancel()
    }
}
#endif
