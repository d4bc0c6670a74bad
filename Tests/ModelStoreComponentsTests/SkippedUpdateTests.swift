import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// Places a child that its closure makes, again for each tick.
@Component
private struct Parent<Child: Component> {
    let tick: Subject<Int>
    let make: @Sendable (Int) -> Child

    func update(_ context: inout ComponentContext) { context.place(make(tick.value)) { $0.provide(tick) } }
}

private struct Plain {
    let size: Int
    let kind: Kind

    enum Kind { case small, large }
}

/// Has fields of several types, none of which its module compares.
@Component
private struct Fields {
    let journal: Journal
    let name: String
    let numbers: [Int]
    let pair: (Int, Double)
    let plain: Plain
    let rows: [TitledRow]?
    let any: any Sendable
    lazy var length = name.count

    func update(_ context: inout ComponentContext) { journal.add("\(name) \(numbers) \(plain.size)") }
}

/// Has a field of one type.
@Component
private struct Field<Value> {
    let journal: Journal
    let value: Value

    func update(_ context: inout ComponentContext) { journal.add("updated") }
}

@Component
private struct Sampled<S: Sample> {
    let journal: Journal
    let value: S.Value

    func update(_ context: inout ComponentContext) { journal.add("\(S.number(of: value))") }
}

/// Has each of the wrappers that describe nothing but where a value comes from.
@Component
private struct Wrapped {
    let journal: Journal
    let name: String
    @State private var taps = 0
    @StateObject private var thing: Thing
    @ObservedObject private var sensor: Model<Sensor>
    @EnvironmentObject private var tick: Subject<Int>
    @Environment(\.[SampleName<Zeros>()]) private var spot: Spot
    @FetchRequest(Sensor.all) private var sensors: LiveRecords<Sensor>
    @ObservedPublisher private var newest: Int

    init(_ journal: Journal, _ name: String, _ sensor: Model<Sensor>, _ numbers: Numbers, _ newest: Subject<Int>) {
        self.journal = journal
        self.name = name
        _sensor = ObservedObject(wrappedValue: sensor)
        _thing = StateObject(wrappedValue: Thing(journal, numbers))
        _newest = ObservedPublisher(newest)
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(name) \(taps) \(thing.number) \(sensor.celsius) \(sensors.count) \(newest) \(spot.x)")
        let taps = $taps
        context.onAppear { taps.wrappedValue = 1 }
    }
}

/// Has bindings and drafts of all sources.
@Component
private struct Bound {
    let journal: Journal
    @Binding var value: Int
    @Draft var text: String

    init(_ journal: Journal, _ value: Binding<Int>, _ text: Draft<String>) {
        self.journal = journal
        _value = value
        _text = text
    }

    func update(_ context: inout ComponentContext) { journal.add("\(value) \(text)") }
}

@Component
private struct Failing {
    let journal: Journal

    func update(_ context: inout ComponentContext) throws {
        journal.add("fails")
        throw CancellationError()
    }
}

private struct Point: Sendable {
    var x = 0
    var y = 0
}

private enum PointAction: Sendable {
    case x(Int)
}

/// Components that are not `Equatable`, whose parent makes new values of them.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SkippedUpdateTests {
    private let journal = Journal()

    /// Returns the updates of a child at its appearance, and then after each of three updates of the parent.
    private func updates<Child: Component>(
        _ scene: Scene, _ make: @escaping @Sendable (Int) -> Child
    ) async throws -> [[String]] {
        let tick = Subject(0)
        var updates: [[String]] = []
        try await scene.scope.withChild("part") { scope in
            let host = try await scope.host { Parent(tick: tick, make: make) }
            for number in 1...4 {
                updates.append(journal.take())
                tick.send(number)
                try await host.settle()
            }
        }
        // The last update is one more than the callers ask about.
        _ = journal.take()
        return updates
    }

    private func text(_ suffix: String) -> String { String(repeating: "long ", count: 10) + suffix }

    private func fields(_ name: String, _ number: Int) -> Fields {
        Fields(
            journal: journal, name: text(name), numbers: Array(0..<number), pair: (1, 2),
            plain: Plain(size: number, kind: .large), rows: [TitledRow(id: 1, title: text("row"))], any: text("any"))
    }

    @Test func `a component whose fields are all the same is not updated, whether or not they share storage`()
        async throws
    {
        try await Scene.run { scene in
            let updates = try await updates(scene) { _ in fields("a", 2) }
            #expect(updates == [["\(text("a")) [0, 1] 2"], [], [], []])
        }
    }

    @Test func `a component one of whose fields differs is updated`() async throws {
        try await Scene.run { scene in
            let names = try await updates(scene) { fields($0 < 2 ? "a" : "b", 1) }
            #expect(names.map(\.count) == [1, 0, 1, 0])
            let numbers = try await updates(scene) { fields("a", $0 / 3 + 1) }
            #expect(numbers.map(\.count) == [1, 0, 0, 1])
        }
    }

    @Test(arguments: SampleKind.all)
    func `a field whose values are equal and not the same updates the component`(kind: SampleKind) async throws {
        func check<S: Sample>(_ type: S.Type) async throws {
            try await Scene.run { scene in
                let count = S.values.count
                let updates = try await updates(scene) { [journal] in
                    Sampled<S>(journal: journal, value: S.values[$0 % count])
                }
                #expect(updates == (0..<4).map { ["\($0 % count)"] })
            }
        }
        try await check(kind.type)
    }

    @Test func `a field that cannot be compared updates the component each time`() async throws {
        struct Odd {
            let closure: () -> Int
        }
        try await Scene.run { scene in
            let closures = try await updates(scene) { [journal] tick in
                Field(journal: journal, value: { tick })
            }
            #expect(closures.map(\.count) == [1, 1, 1, 1])
            let nested = try await updates(scene) { [journal] tick in
                Field<Odd?>(journal: journal, value: Odd { tick })
            }
            #expect(nested.map(\.count) == [1, 1, 1, 1])
            let objects = try await updates(scene) { [journal] _ in Field(journal: journal, value: Journal()) }
            #expect(objects.map(\.count) == [1, 1, 1, 1])
            let kept = Journal()
            let references = try await updates(scene) { [journal] _ in Field(journal: journal, value: kept) }
            #expect(references.map(\.count) == [1, 0, 0, 0])
        }
    }

    @Test func `wrapped properties compare what they declare, and the skipped component still follows what it reads`()
        async throws
    {
        try await Scene.run { scene in
            let sensor = try scene.store.model(Sensor.self, id: "s1")
            // The outer scope keeps the model until the tree has ended.
            try scene.scope.borrow(sensor)
            let (newest, tick) = (Subject(5), Subject(0))
            let part = try scene.scope.child("part")
            let host = try await part.host { [journal] in
                Parent(tick: tick) { tick in
                    Wrapped(journal, tick < 3 ? "a" : "b", sensor, scene.numbers, newest)
                }
            }
            #expect(journal.take() == ["created 1", "a 0 1 20.0 3 5 0.0", "a 1 1 20.0 3 5 0.0"])
            tick.send(1)
            try await host.settle()
            #expect(journal.take() == [])
            newest.send(6)
            try await host.settle()
            #expect(journal.take() == ["a 1 1 20.0 3 6 0.0"])
            tick.send(2)
            try await host.settle()
            #expect(journal.take() == [])
            try await scene.set("s1", 21)
            try await host.settle()
            #expect(journal.take() == ["a 1 1 21.0 3 6 0.0"])
            tick.send(3)
            try await host.settle()
            #expect(journal.take() == ["b 1 1 21.0 3 6 0.0"])
            part.close()
            await part.waitUntilClosed()
        }
    }

    @Test func `bindings and drafts of one source are the same, and those of another one differ`() async throws {
        try await Scene.run { scene in
            let (point, thing) = (Subject(Point()), Thing(Journal(), scene.numbers))
            let panel = try await scene.store.write { try $0.insert(Panel(a: 7)) }
            let model = try scene.store.model(Panel.self, id: panel.id)
            let state = StateStore(Point()) { (state, action: PointAction) in
                if case .x(let x) = action { state.x = x }
            }
            let sources: [@Sendable () -> Binding<Int>] = [
                { point.binding.x }, { point.binding(for: \.y) },
                { ObservedObject(wrappedValue: thing).projectedValue.count },
                { model.binding(\.a) }, { ObservedObject(wrappedValue: model).projectedValue.b },
                { state.binding(\.x) { .x($0) } }, { Subject(3).binding },
            ]
            for (index, source) in sources.dropLast().enumerated() {
                let same = try await updates(scene) { [journal] _ in Bound(journal, source(), Draft(source())) }
                #expect(same.map(\.count) == [1, 0, 0, 0], "\(index)")
                let other = sources[(index + 1) % sources.count]
                let differing = try await updates(scene) { [journal] tick in
                    Bound(journal, (tick == 2 ? other : source)(), Draft(source()))
                }
                #expect(differing.map(\.count) == [1, 0, 1, 1], "\(index)")
                let drafts = try await updates(scene) { [journal] tick in
                    Bound(journal, source(), Draft((tick == 2 ? other : source)()))
                }
                #expect(drafts.map(\.count) == [1, 0, 1, 1], "\(index)")
            }
            // A new subject with each value.
            let subjects = try await updates(scene) { [journal, sources] _ in
                Bound(journal, sources[6](), Draft(point.binding.x))
            }
            #expect(subjects.map(\.count) == [1, 1, 1, 1])
        }
    }

    @Test func `a binding whose closures capture values is another one with each value`() async throws {
        try await Scene.run { scene in
            let point = Subject(Point())
            let state = StateStore(Point()) { (state, action: PointAction) in
                if case .x(let x) = action { state.x = x }
            }
            let closures = try await updates(scene) { [journal] tick in
                Bound(journal, Binding(get: { tick }, set: { _ in }), Draft(point.binding.x))
            }
            #expect(closures.map(\.count) == [1, 1, 1, 1])
            let actions = try await updates(scene) { [journal] tick in
                Bound(journal, state.binding(\.x) { .x($0 + tick) }, Draft(point.binding.x))
            }
            #expect(actions.map(\.count) == [1, 1, 1, 1])
            let drafts = try await updates(scene) { [journal] tick in
                Bound(journal, point.binding.x, Draft(state, \.x) { .x($0 + tick) })
            }
            #expect(drafts.map(\.count) == [1, 1, 1, 1])
            let plain = try await updates(scene) { [journal] _ in
                Bound(journal, point.binding.x, Draft(state, \.x) { .x($0) })
            }
            #expect(plain.map(\.count) == [1, 0, 0, 0])
            let forms = try await updates(scene) { [journal] tick in
                let draft = Draft(point.binding.x) {
                    "\($0 + tick)"
                } parse: {
                    Int($0)
                }
                return Bound(journal, point.binding.x, draft)
            }
            #expect(forms.map(\.count) == [1, 1, 1, 1])
        }
    }

    @Test func `a component whose update failed is updated with each value`() async throws {
        try await Scene.run { scene in
            let updates = try await updates(scene) { [journal] _ in Failing(journal: journal) }
            #expect(updates == Array(repeating: ["fails"], count: 4))
        }
    }
}
