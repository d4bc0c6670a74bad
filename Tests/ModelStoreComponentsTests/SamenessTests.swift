import ModelStore
import ModelStoreComponents
import Observation
import Synchronization
import TestSupport
import Testing

@Record
private struct Dial {
    @ID var name: String
    var number: Double = 0
    var text: String = ""
    var turns: Int = 0
}

private struct Turn: StateAction {
    var number: UInt64
    var text: String

    func reduce(_ state: inout Dial) {
        state.number = Double(bitPattern: number)
        state.text = text
        state.turns += 1
    }
}

/// Two states of a value for which Swift's `==` is not what a store needs: a value that differs from itself, or different values
/// that are equal.
private enum Pair: String, CaseIterable, CustomTestStringConvertible {
    case nan, zero, text

    var testDescription: String { rawValue }
    /// Whether a store treats both states as the same.
    var isSame: Bool { self == .nan }

    var numbers: (Double, Double) {
        switch self {
        case .nan: (.nan, .nan)
        case .zero: (0, -0.0)
        case .text: (1, 1)
        }
    }

    var texts: (String, String) { self == .text ? ("\u{E9}", "e\u{301}") : ("", "") }
}

private struct Level: PreferenceKey {
    static let defaultValue = 100.0
    static func reduce(value: inout Double, nextValue: () -> Double) { value = nextValue() }
}

private struct Label: PreferenceKey {
    static let defaultValue = "none"
    static func reduce(value: inout String, nextValue: () -> String) { value = nextValue() }
}

private struct NameKey: EnvironmentKey {
    static let defaultValue = "none"
}

extension EnvironmentValues {
    fileprivate var name: String {
        get { self[NameKey.self] }
        set { self[NameKey.self] = newValue }
    }
}

/// Uses every function that compares a value of one update with that of the next.
@Component
private struct Asking {
    let journal: Journal
    let number: Subject<Double>
    let text: Subject<String>
    let round: Subject<Int>

    func update(_ context: inout ComponentContext) {
        let (number, text) = (number.value, text.value)
        _ = round.value
        context.onChange(of: [number]) { [journal] _, _ in journal.add("changed") }
        context.onChange(of: text) { [journal] _, _ in journal.add("changed") }
        context.task(id: ["\(number.bitPattern)", text]) { [journal] in journal.add("begun") }
        context.preference(Level.self, number)
        context.preference(Label.self, text)
        context.onPreferenceChange(Level.self) { [journal] _ in journal.add("preference") }
        context.onPreferenceChange(Label.self) { [journal] _ in journal.add("preference") }
        context.place(Leaf(journal: journal, number: number, text: text), id: text)
        context.place(Reading(journal: journal)) {
            $0[\.scale] = number
            $0[\.name] = text
        }
    }
}

@Component
private struct Leaf: Equatable {
    let journal: Journal
    let number: Double
    let text: String

    func update(_ context: inout ComponentContext) { journal.add("leaf") }

    static func == (left: Leaf, right: Leaf) -> Bool {
        left.journal === right.journal && left.number == right.number && left.text == right.text
    }
}

@Component
private struct Reading: Equatable {
    let journal: Journal
    @Environment(\.scale) var scale
    @Environment(\.name) var name

    func update(_ context: inout ComponentContext) { journal.add("environment \(scale.bitPattern) \(name.utf8.count)") }

    static func == (left: Reading, right: Reading) -> Bool { left.journal === right.journal }
}

/// The definition of a change for components, subjects and states: the form that a store would save differs.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SamenessTests {
    @Test(arguments: Pair.allCases)
    fileprivate func `a subject notifies its observers of what a store would take for another value`(pair: Pair) async {
        await expectNotice(Subject(pair.numbers.0), pair.numbers.1, isSame: pair != .zero)
        await expectNotice(Subject(pair.texts.0), pair.texts.1, isSame: pair != .text)
        await expectNotice(Subject([pair.numbers.0]), [pair.numbers.1], isSame: pair != .zero)
    }

    private func expectNotice<Value: Equatable & Sendable>(
        _ subject: Subject<Value>, _ new: Value, isSame: Bool
    ) async {
        let told = Atomic(0)
        var values = subject.values.removeDuplicates().makeAsyncIterator()
        _ = await values.next()
        withObservationTracking {
            _ = subject.value
        } onChange: {
            told.add(1, ordering: .relaxed)
        }
        subject.binding.wrappedValue = new
        #expect(told.load(ordering: .relaxed) == (isSame ? 0 : 1))
        if !isSame { #expect(await values.next() != nil) }
    }

    @Test(arguments: Pair.allCases)
    fileprivate func `an element of a state notifies its observers of what a store would take for another value`(
        pair: Pair
    ) async throws {
        let state = StateStore(Dial(name: "a", number: pair.numbers.0, text: pair.texts.0)) { (dial, turn: Turn) in
            turn.reduce(&dial)
        }
        let told = Atomic(0)
        withObservationTracking {
            _ = (state.number, state.text)
        } onChange: {
            told.add(1, ordering: .relaxed)
        }
        let turn = Turn(number: pair.numbers.1.bitPattern, text: pair.texts.1)
        state.send(turn)
        #expect(told.load(ordering: .relaxed) == (pair.isSame ? 0 : 1))
        #expect(state.turns == 1)
    }

    @Test(arguments: Pair.allCases)
    fileprivate func `a state in a store delivers what the store takes for another value`(pair: Pair) async throws {
        let store = try Store.temporary(records: Dial.self)
        let first = Dial(name: "a", number: pair.numbers.0, text: pair.texts.0)
        let dial = try await SavedStateStore<Turn>(store, initially: first)
        var numbers = dial.values(of: \.number).makeAsyncIterator()
        var texts = dial.values(of: \.text).makeAsyncIterator()
        _ = (await numbers.next(), await texts.next())
        try await dial.send(Turn(number: pair.numbers.1.bitPattern, text: pair.texts.1))
        if pair == .zero { #expect(await numbers.next()?.bitPattern == pair.numbers.1.bitPattern) }
        if pair == .text { #expect(await texts.next()?.utf8.count == 3) }
        try await dial.send(Turn(number: (7.0).bitPattern, text: "last"))
        #expect(await numbers.next() == 7)
        #expect(await texts.next() == "last")
    }

    @Test(arguments: Pair.allCases)
    fileprivate func `a component is updated for what a store would take for another value`(pair: Pair) async throws {
        let journal = Journal()
        let (number, text, round) = (Subject(pair.numbers.0), Subject(pair.texts.0), Subject(0))
        try await OwnershipRegistry().withScope("app") { scope in
            let host = try await scope.host { Asking(journal: journal, number: number, text: text, round: round) }
            await journal.until { $0.contains("begun") }
            _ = journal.take()
            number.send(pair.numbers.1)
            text.send(pair.texts.1)
            round.send(1)
            try await host.settle()
            guard !pair.isSame else { return #expect(journal.all == []) }
            await journal.until { $0.contains("begun") }
            #expect(journal.count("changed") == 1)
            #expect(journal.count("preference") == 1)
            #expect(journal.all.contains { $0.hasPrefix("environment") })
            // By its own `==` the value is unchanged. A different id makes it a different child.
            #expect(journal.count("leaf") == (pair == .text ? 1 : 0))
        }
    }
}
