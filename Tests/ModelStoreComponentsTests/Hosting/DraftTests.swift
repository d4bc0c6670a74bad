import Dispatch
import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private struct Order: Sendable {
    var count = 5
    var note = ""
}

private enum OrderAction: Sendable {
    case setCount(Int)
    case note(String)
}

/// Shows a count as text.
@Component
private struct CountField {
    let journal: Journal
    let handed: Subject<Binding<String>?>
    @Draft var text: String

    init(_ order: StateStore<Order, OrderAction>, _ journal: Journal, _ handed: Subject<Binding<String>?>) {
        self.journal = journal
        self.handed = handed
        _text = Draft(order, \.count) { .setCount($0) }
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(text)\(_text.isValid ? "" : ", not valid")")
        let text = $text
        context.onAppear { handed.send(text) }
    }
}

@Component
private struct CountForm {
    let order: StateStore<Order, OrderAction>
    let journal: Journal
    let handed: Subject<Binding<String>?>
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        _ = tick.value
        context.place(CountField(order, journal, handed))
    }
}

/// Shows a field of a model as text.
@Component
private struct CelsiusField {
    let journal: Journal
    let handed: Subject<Binding<String>?>
    @Draft var text: String

    init(
        _ sensor: Model<Sensor>, _ journal: Journal, _ handed: Subject<Binding<String>?>, isOptimistic: Bool = true
    ) {
        self.journal = journal
        self.handed = handed
        _text = Draft(sensor.binding(\.celsius, isOptimistic: isOptimistic))
    }

    func update(_ context: inout ComponentContext) {
        journal.add(text)
        let text = $text
        context.onAppear { handed.send(text) }
    }
}

/// Creates the field again with each of its updates.
@Component
private struct CelsiusForm {
    let sensor: Model<Sensor>
    let journal: Journal
    let handed: Subject<Binding<String>?>
    let tick: Subject<Int>
    let isOptimistic: Bool

    func update(_ context: inout ComponentContext) {
        _ = tick.value
        context.place(CelsiusField(sensor, journal, handed, isOptimistic: isOptimistic))
    }
}

/// `@Draft`: a text for an integer in a state.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct DraftTests {
    private let handed = Subject<Binding<String>?>(nil)
    private let actions = Journal()

    /// Returns a state that accepts counts up to 100.
    private func order() -> StateStore<Order, OrderAction> {
        StateStore(Order()) { [actions] state, action in
            switch action {
            case .setCount(let count):
                actions.add("set \(count)")
                state.count = min(count, 100)
            case .note(let note): state.note = note
            }
        }
    }

    /// Runs a body with a field in a host. `step` makes a change and checks what the field shows afterwards. `type` does the same
    /// with an input.
    private func withField(
        _ body:
            nonisolated(nonsending) (
                StateStore<Order, OrderAction>, _ step: ([String], () -> Void) async throws -> Void,
                _ type: (String, [String]) async throws -> Void
            ) async throws -> Void
    ) async throws {
        let order = order()
        try await Scene.run { [handed] scene in
            let tick = Subject(0)
            let host = try await scene.scope.host {
                CountForm(order: order, journal: scene.journal, handed: handed, tick: tick)
            }
            #expect(scene.journal.take() == ["5"])
            func step(_ expected: [String], _ change: () -> Void) async throws {
                change()
                try await host.settle()
                #expect(scene.journal.take() == expected)
            }
            try await body(order, step) { text, expected in
                try await step(expected) { handed.value?.wrappedValue = text }
                // A new value of the component, which has the same fields, keeps the draft.
                try await step([]) { tick.update { $0 += 1 } }
            }
            handed.send(nil)
        }
    }

    @Test func `a valid input reaches the state by an action, and stays as it was written`() async throws {
        try await withField { order, _, type in
            try await type("12", ["12"])
            #expect(order.count == 12 && actions.take() == ["set 12"])
            try await type("012", ["012"])
            #expect(order.count == 12 && actions.take() == ["set 12"])
        }
    }

    @Test func `an invalid input stays a draft, and the state as it is`() async throws {
        try await withField { order, step, type in
            try await type("12x", ["12x, not valid"])
            try await type("", [", not valid"])
            #expect(order.count == 5 && actions.take() == [])
            // A change of another element of the state does not affect this field.
            try await step([]) { order.send(.note("soon")) }
            #expect(handed.value?.wrappedValue == "")
            try await type("7", ["7"])
            #expect(order.count == 7)
        }
    }

    @Test func `a change of the state replaces the draft, which does not come back`() async throws {
        try await withField { order, step, type in
            try await type("5x", ["5x, not valid"])
            try await step(["6"]) { order.send(.setCount(6)) }
            try await step(["5"]) { order.send(.setCount(5)) }
            try await type("08", ["08"])
            try await step(["9"]) { order.send(.setCount(9)) }
            try await step(["8"]) { order.send(.setCount(8)) }
        }
    }

    @Test func `an input that the state takes otherwise is replaced by the state's value`() async throws {
        try await withField { order, _, type in
            try await type("500", ["100"])
            try await type("600", ["100"])
            #expect(order.count == 100 && actions.take() == ["set 500", "set 600"])
        }
    }

    @Test func `a draft of a model's field shows an input at once, and a later commit`() async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host {
                CelsiusField(try scene.store.model(id: "s0"), scene.journal, handed)
            }
            #expect(scene.journal.take() == ["20.0"])
            try #require(handed.value).wrappedValue = "30"
            #expect(handed.value?.wrappedValue == "30")
            try await scene.store.write { _ in }
            try await host.settle()
            #expect(Set(scene.journal.take()) == ["30"])
            #expect(try scene.store.model(Sensor.self, id: "s0").celsius == 30)
            try await scene.set("s0", 31)
            try await host.settle()
            #expect(scene.journal.take().last == "31.0")
            handed.send(nil)
        }
    }

    @Test(arguments: [false, true])
    func `a draft stays while its write waits, whatever binding the field is made with`(isOptimistic: Bool) async throws
    {
        try await Scene.run { scene in
            let tick = Subject(0)
            let model = try scene.store.model(Sensor.self, id: "s0")
            let host = try await scene.scope.host { [handed] in
                CelsiusForm(
                    sensor: model, journal: scene.journal, handed: handed, tick: tick, isOptimistic: isOptimistic)
            }
            #expect(scene.journal.take() == ["20.0"])
            let text = try #require(handed.value)
            // Blocks the writer.
            let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let held: Void = scene.store.write { _ in
                isHeld.signal()
                gate.wait()
            }
            await Task.detached { isHeld.wait() }.value
            for input in ["3", "030", "030x", "031"] {
                text.wrappedValue = input
                try await host.settle()
                #expect(text.wrappedValue == input)
                tick.update { $0 += 1 }
                try await host.settle()
                #expect(scene.journal.take().last == input && text.wrappedValue == input)
            }
            #expect(model.celsius == 20)
            gate.signal()
            _ = try await held
            try await scene.store.write { _ in }
            try await host.settle()
            #expect(model.celsius == 31 && text.wrappedValue == "031")
            // The draft waited while the field still had this value. Now the value replaces the draft.
            try await scene.set("s0", 20)
            try await host.settle()
            #expect(scene.journal.take().last == "20.0" && text.wrappedValue == "20.0")
            handed.send(nil)
        }
    }

    @Test func `without a host the wrapper shows the state's value`() {
        let field = CountField(order(), Journal(), handed)
        field.text = "12x"
        #expect(field.text == "5")
    }

    @Test func `a draft that the state has replaced is not shown, also before the next update`() async throws {
        try await withField { order, step, type in
            try await type("12", ["12"])
            try await step(["7"]) {
                order.send(.setCount(7))
                #expect(handed.value?.wrappedValue == "7")
            }
        }
    }
}
