import Foundation
import ModelStore
import ModelStoreComponents
import Observation
import Synchronization
import TestSupport
import Testing

/// An object with a value of any type.
private final class ValueHolder<S: Sample>: ObservableObject, Sendable {
    @Published var value: S.Value

    init() { value = S.values[0] }
}

/// Keeps a value in each way that a component has, and hands out bindings to it.
@Component
private struct Keeping<S: Sample> {
    let journal: Journal
    let handed: Subject<[Binding<S.Value>]>
    @State var own = S.values[0]
    @ObservedObject var held: ValueHolder<S>

    init(_ journal: Journal, _ holder: ValueHolder<S>, _ handed: Subject<[Binding<S.Value>]>) {
        self.journal = journal
        self.handed = handed
        held = holder
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(S.number(of: own)) \(S.number(of: held.value))")
        handed.send([$own, $held.value])
    }
}

/// Hands a value down and receives one, where a component below reads the one and sends the other.
@Component
private struct Handing<S: Sample> {
    let journal: Journal
    let given: Subject<Int?>

    func update(_ context: inout ComponentContext) {
        let number = given.value
        context.place(Handed<S>(journal: journal, sends: number != nil)) {
            if let number { $0[\.[SampleName<S>()]] = S.values[number] }
        }
        context.place(Silent())
        context.onPreferenceChange(SamplePreference<S>.self) { [journal] in
            journal.add("receives \(S.number(of: $0))")
        }
    }
}

@Component
private struct Handed<S: Sample> {
    let journal: Journal
    let sends: Bool
    @Environment(\.[SampleName<S>()]) var value

    func update(_ context: inout ComponentContext) {
        journal.add("reads \(S.number(of: value))")
        if sends { context.preference(SamplePreference<S>.self, value) }
    }
}

@Component
private struct Silent {
    func update(_ context: inout ComponentContext) {}
}

@Component
private struct Watching<S: Sample> where S.Value: Equatable {
    let journal: Journal
    let value: Subject<S.Value>

    func update(_ context: inout ComponentContext) {
        context.onChange(of: value.value) { [journal] in
            journal.add("\(S.number(of: $0)) to \(S.number(of: $1))")
        }
    }
}

/// A component whose `==` compares only ids.
@Component
private struct Titled: Equatable {
    let journal: Journal
    let row: TitledRow
    let round: Subject<Int>

    func update(_ context: inout ComponentContext) { journal.add("\(row.title) \(round.value)") }

    static func == (left: Titled, right: Titled) -> Bool { left.row == right.row }
}

@Component
private struct TitledParent {
    let journal: Journal
    let row: Subject<TitledRow>
    let round: Subject<Int>

    func update(_ context: inout ComponentContext) {
        context.place(Titled(journal: journal, row: row.value, round: round))
    }
}

/// A value with a part of any type, whose `==` says nothing about it.
private struct Parcel: Sendable, Equatable {
    let content: any Sendable

    static func == (left: Parcel, right: Parcel) -> Bool { true }
}

/// Every generic container of the module stores values that are equal and not the same, optionals and existentials, and notifies
/// its readers of each.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ValueKindTests {
    private let journal = Journal()

    @Test(arguments: SampleKind.all)
    func `a subject stores each value that it is set to, however it is set, and notifies its readers`(
        kind: SampleKind
    ) async {
        func check<S: Sample>(_ type: S.Type) async {
            typealias Way = @Sendable (Subject<S.Value>, S.Value) -> Void
            let ways: [Way] = [
                { $0.send($1) },
                { $0.value = $1 },
                { subject, value in subject.update { $0 = value } },
                { $0.binding.wrappedValue = $1 },
                { subject, value in subject.binding.update { $0 = value } },
                { subject, value in Binding(get: { subject.value }, set: { subject.send($0) }).wrappedValue = value },
                { subject, value in
                    Binding(get: { subject.value }, set: { subject.send($0) }).update { $0 = value }
                },
            ]
            for way in ways {
                let subject = Subject(S.values[0])
                var values = subject.values.makeAsyncIterator()
                _ = await values.next()
                for number in S.numbers {
                    let told = Atomic(0)
                    withObservationTracking {
                        _ = subject.value
                    } onChange: {
                        told.add(1, ordering: .relaxed)
                    }
                    way(subject, S.values[number])
                    #expect(S.number(of: subject.value) == number && told.load(ordering: .relaxed) == 1)
                    #expect(await values.next().map { S.number(of: $0) } == number)
                }
            }
        }
        await check(kind.type)
    }

    @Test(arguments: SampleKind.all)
    func `a state and a published property store each value, and update the component that reads them`(
        kind: SampleKind
    ) async throws {
        func check<S: Sample>(_ type: S.Type) async throws {
            try await Scene.run { scene in
                let (holder, handed) = (ValueHolder<S>(), Subject<[Binding<S.Value>]>([]))
                let announced = Journal()
                let token = holder.objectWillChange.observe { announced.add("changes") }
                let host = try await scene.scope.host { [journal] in Keeping<S>(journal, holder, handed) }
                #expect(journal.take() == ["0 0"])
                for number in S.numbers {
                    for binding in handed.value { binding.wrappedValue = S.values[number] }
                    #expect(handed.value.map { S.number(of: $0.wrappedValue) } == [number, number])
                    #expect(announced.take() == ["changes"])
                    try await host.settle()
                    #expect(journal.take().last == "\(number) \(number)")
                }
                let state = try scene.scope.state("value", S.values[0])
                for number in S.numbers {
                    state.send(S.values[number])
                    #expect(S.number(of: try scene.scope.state("value", S.values[0]).value) == number)
                }
                handed.send([])
                token.cancel()
            }
        }
        try await check(kind.type)
    }

    @Test(arguments: SampleKind.all)
    func `the environment and preferences hand each value on, and the default one where there is none`(
        kind: SampleKind
    ) async throws {
        func check<S: Sample>(_ type: S.Type) async throws {
            try await Scene.run { scene in
                let given = Subject<Int?>(nil)
                let host = try await scene.scope.host { [journal] in Handing<S>(journal: journal, given: given) }
                #expect(journal.take() == ["reads 0", "receives 0"])
                for number in S.numbers {
                    given.send(number)
                    try await host.settle()
                    #expect(journal.take() == ["reads \(number)", "receives \(number)"])
                }
                given.send(nil)
                try await host.settle()
                // A preference that cannot be compared arrives again.
                #expect(journal.take().first == "reads 0")
                for number in S.numbers {
                    try scene.scope.setEnvironment(\.[SampleName<S>()], S.values[number])
                    #expect(S.number(of: scene.scope.environment(\.[SampleName<S>()])) == number)
                    try await host.settle()
                    #expect(journal.take() == ["reads \(number)"])
                }
            }
        }
        try await check(kind.type)
    }

    @Test(arguments: SampleKind.all)
    func `the preferences of a scope are those that it was given last`(kind: SampleKind) async throws {
        func check<S: Sample>(_ type: S.Type) async throws {
            try await OwnershipRegistry().withScope("app") { [journal] scope in
                let key = SamplePreference<S>.self
                try scope.onPreferenceChange(key) { journal.add("\(S.number(of: $0))") }
                await journal.until { $0 == ["0"] }
                #expect(S.number(of: try scope.preference(key)) == 0)
                for number in S.numbers {
                    _ = journal.take()
                    try scope.setPreference(key, S.values[number])
                    #expect(S.number(of: try scope.preference(key)) == number)
                    await journal.until { $0 == ["\(number)"] }
                }
            }
        }
        try await check(kind.type)
    }

    @Test(arguments: SampleKind.all)
    func `an element of a state notifies its readers of each value`(kind: SampleKind) async {
        func check<S: Sample>(_ type: S.Type) async {
            let state = StateStore([S.values[0]]) { (state, number: Int) in state[0] = S.values[number] }
            var values = state.values(of: \.[0]).makeAsyncIterator()
            _ = await values.next()
            for number in S.numbers {
                state.send(number)
                #expect(await values.next().map { S.number(of: $0) } == number)
            }
        }
        await check(kind.type)
    }

    @Test func `onChange runs for each other value, and not for the first`() async throws {
        func check<S: Sample>(_ type: S.Type) async throws where S.Value: Equatable {
            try await Scene.run { scene in
                let value = Subject(S.values[0])
                let host = try await scene.scope.host { [journal] in Watching<S>(journal: journal, value: value) }
                #expect(journal.take() == [])
                var last = 0
                for number in S.numbers {
                    value.send(S.values[number])
                    try await host.settle()
                    #expect(journal.take() == ["\(last) to \(number)"])
                    last = number
                }
            }
        }
        try await check(EqualRows.self)
        try await check(EqualObjects.self)
        try await check(Zeros.self)
        try await check(NormalForms.self)
        try await check(Optionals.self)
        try await check(EmptyOptionals.self)
        try await check(NestedOptionals.self)
    }

    @Test func `a part that is set in place is stored`() {
        let holder = ValueHolder<EqualElements>()
        holder.value[0].title = "new"
        #expect(holder.value[0].title == "new")
        let range = Subject(TitledRow(id: 1, title: "old"))
        range.binding(for: \.title).wrappedValue = "new"
        range.update { $0.title += "er" }
        #expect(range.value.title == "newer")
    }

    @Test func `an equal component is not updated, and keeps its newest value for its next update`() async throws {
        try await Scene.run { scene in
            let (row, round) = (Subject(TitledRow(id: 1, title: "old")), Subject(0))
            let host = try await scene.scope.host { [journal] in
                TitledParent(journal: journal, row: row, round: round)
            }
            #expect(journal.take() == ["old 0"])
            row.update { $0.title = "new" }
            try await host.settle()
            #expect(journal.take() == [])
            round.send(1)
            try await host.settle()
            #expect(journal.take() == ["new 1"])
        }
    }

    @Test func `values with the same parts notify no reader, whether or not they share storage`() {
        func text(_ suffix: String) -> String { String(repeating: "long ", count: 10) + suffix }
        expectSilence(NamedValue(name: text("a")), NamedValue(name: text("a")))
        expectSilence([NamedValue(name: text("a"))], [NamedValue(name: text("a"))])
        expectSilence(Optional(NamedValue(name: text("a"))), NamedValue(name: text("a")))
        expectSilence(RowShape.row(TitledRow(id: 1, title: text("a"))), .row(TitledRow(id: 1, title: text("a"))))
        expectSilence(RowShape.none, .none)
        let rows = (1...50).map { TitledRow(id: $0, title: text("\($0)")) }
        let others = (1...50).map { TitledRow(id: $0, title: text("\($0)")) }
        expectSilence(Set(rows), Set(others.reversed()))
        expectSilence(
            Dictionary(uniqueKeysWithValues: rows.map { ($0, $0.id) }),
            Dictionary(uniqueKeysWithValues: others.reversed().map { ($0, $0.id) }))
        // Values with storage of their own, which have an encoding.
        expectSilence(Calendar(identifier: .gregorian), Calendar(identifier: .gregorian))
        expectSilence(CharacterSet(charactersIn: "abc"), CharacterSet(charactersIn: "abc"))
        let item = TitledItem(1, "one")
        expectSilence(item, item)
        expectSilence([item], [item])
        expectSilence(Spot(x: .nan), Spot(x: .nan))
        expectSilence(Parcel(content: text("a")), Parcel(content: text("a")))
        expectSilence(Parcel(content: [Polygon(corners: 3)]), Parcel(content: [Polygon(corners: 3)]))
    }

    private func expectSilence<Value: Equatable & Sendable>(_ old: Value, _ new: Value) {
        let subject = Subject(old)
        let told = Atomic(0)
        withObservationTracking {
            _ = subject.value
        } onChange: {
            told.add(1, ordering: .relaxed)
        }
        subject.send(new)
        #expect(told.load(ordering: .relaxed) == 0, "\(Value.self)")
    }
}
