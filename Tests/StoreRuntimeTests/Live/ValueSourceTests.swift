import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Keeps the values that a source passes on, while a test lets it be ready.
private final class Keeping<Value: Sendable>: ValueObserver {
    private struct State {
        var isReady: Bool
        var kept: [Value] = []
        var values: [Value] = []
        var endCount = 0
    }

    private let state: Mutex<State>

    init(isReady: Bool = true) { state = Mutex(State(isReady: isReady)) }

    var isReady: Bool {
        get { state.withLock { $0.isReady } }
        set { state.withLock { $0.isReady = newValue } }
    }

    /// The delivered values.
    var values: [Value] { state.withLock { $0.values } }

    var endCount: Int { state.withLock { $0.endCount } }

    func keep(_ value: Value) { state.withLock { $0.kept.append(value) } }

    func deliver() {
        state.withLock { state in
            state.values += state.kept
            state.kept = []
        }
    }

    func ended() { state.withLock { $0.endCount += 1 } }
}

/// Every value of a model, passed on by the steps themselves.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ValueSourceTests {
    /// A held store with a record, and its model.
    private static func held() async throws -> (HeldStore, Model<Sensor>) {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        return (held, try held.store.model(Sensor.self, id: "s1"))
    }

    @Test func `each step passes its value on before it is over, and commits of one step are one value`() async throws {
        let (held, model) = try await Self.held()
        let (values, changes) = (Keeping<Double>(), Keeping<ModelChange<Sensor>>())
        let supplies = [model.values(of: \.celsius).supply(values), model.changes.supply(changes)]
        #expect(values.values == [])
        for supply in supplies { supply.resume() }
        #expect(values.values == [1])
        for celsius in [2.0, 3] {
            held.hold()
            try held.put(celsius)
            await held.show()
            #expect(values.values.last == celsius)
        }
        held.hold()
        for celsius in [4.0, 5] { try held.put(celsius) }
        await held.show()
        #expect(values.values == [1, 2, 3, 5])
        #expect(changes.values.map(\.new?.celsius) == [1, 2, 3, 5])
        #expect(changes.values.map(\.old?.celsius) == [nil, 1, 2, 3])
        for supply in supplies { supply.cancel() }
        held.hold()
        try held.put(6)
        await held.show()
        #expect(values.values.count == 4 && values.endCount == 0)
    }

    @Test func `an observer that was not ready receives the newest value when it is, and one change for all`()
        async throws
    {
        let (held, model) = try await Self.held()
        let (values, changes) = (Keeping<Double>(), Keeping<ModelChange<Sensor>>())
        let supplies = [model.values(of: \.celsius).supply(values), model.changes.supply(changes)]
        for supply in supplies { supply.resume() }
        (values.isReady, changes.isReady) = (false, false)
        for celsius in [2.0, 3] {
            held.hold()
            try held.put(celsius)
            await held.show()
        }
        for supply in supplies { supply.resume() }
        #expect(values.values == [1])
        (values.isReady, changes.isReady) = (true, true)
        for supply in supplies { supply.resume() }
        for supply in supplies { supply.resume() }
        #expect(values.values == [1, 3])
        #expect(changes.values.map(\.old?.celsius) == [nil, 1] && changes.values.last?.new?.celsius == 3)
        for supply in supplies { supply.cancel() }
    }

    @Test(arguments: [false, true])
    func `the last value comes before the end, also in the step of the deletion`(isOneStep: Bool) async throws {
        let (held, model) = try await Self.held()
        let values = Keeping<Double>()
        let supply = model.values(of: \.celsius).supply(values)
        supply.resume()
        held.hold()
        try held.put(2)
        if !isOneStep {
            await held.show()
            held.hold()
        }
        try held.delete()
        await held.show()
        #expect(values.values == [1, 2] && values.endCount == 1)
        supply.resume()
        supply.cancel()
        #expect(values.endCount == 1)
    }

    @Test func `closing the store ends an observer once, ready or not`() async throws {
        let (held, model) = try await Self.held()
        let observers = [Keeping<Double>(), Keeping<Double>(), Keeping<Double>(isReady: false)]
        let supplies = observers.map { model.values(of: \.celsius).supply($0) }
        for supply in supplies { supply.resume() }
        observers[1].isReady = false
        held.store.close()
        // The last one has not begun, so it still has no value.
        #expect(observers.map(\.endCount) == [1, 1, 0])
        let late = Keeping<Double>()
        model.values(of: \.celsius).supply(late).resume()
        #expect(late.values == [] && late.endCount == 1)
        for supply in supplies { supply.cancel() }
    }

    @Test func `a supply keeps its model until it is cancelled`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        weak var model: Model<Sensor>?
        let supply: any ValueSupply
        do {
            let own = try held.store.model(Sensor.self, id: "s1")
            model = own
            supply = own.values(of: \.celsius).supply(Keeping<Double>())
            supply.resume()
        }
        #expect(model != nil)
        supply.cancel()
        #expect(model == nil)
    }
}
