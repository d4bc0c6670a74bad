import ModelStore
import ModelStoreComponents
import Synchronization
import TestSupport
import Testing

/// An object that declares its own `objectWillChange`.
private final class Own: ObservableObject, Sendable {
    let objectWillChange = ObjectWillChange()
    @Published var count = 0
}

/// Published properties in a class and its subclass, one of which is not comparable.
private class Base: ObservableObject {
    @Published var name = "base"
}

private final class Derived: Base {
    struct Opaque: Sendable { var number = 0 }

    let lock = Mutex(0)
    @Published var opaque = Opaque()
}

/// A class that is not an observable object.
private final class Plain: Sendable {
    @Published var count = 0
}

/// An object that is confined to one isolation.
private final class Confined: ObservableObject {
    @Published var count = 0
    var note = ""
}

/// An object with a subject of the program in a property that is named as the storage of a published one.
private final class Meter: ObservableObject, Sendable {
    private let _unit: Subject<String>

    init(_ unit: Subject<String>) { _unit = unit }

    var unit: String {
        get { _unit.value }
        set { objectWillChange.send { _unit.value = newValue } }
    }
}

/// The same, with a published property after it.
private final class PublishingMeter: ObservableObject, Sendable {
    private let _unit: Subject<String>
    @Published var count = 0

    init(_ unit: Subject<String>) { _unit = unit }

    var unit: String { _unit.value }
}

/// Declares a thing and reads one property of it.
@Component
private struct Declaring {
    let journal: Journal
    @ObservedObject var thing: Thing

    func update(_ context: inout ComponentContext) { journal.add("count \(thing.count)") }
}

/// `objectWillChange` of classes that a program defines.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ObjectWillChangeTests {
    private let journal = Journal()

    @Test func `setting a published property tells an observer before the value changes, once for each set`() {
        let thing = Thing(journal, Numbers())
        let token = thing.objectWillChange.observe { [journal, weak thing] in
            journal.add("\(thing?.count ?? -1) \(thing?.name ?? "")")
        }
        _ = journal.take()
        thing.count = 1
        thing.name = "other"
        thing.count += 1
        #expect(journal.take() == ["0 thing", "1 thing", "1 other"])
        token.cancel()
        token.cancel()
        thing.count = 9
        #expect(journal.take() == [])
    }

    @Test func `an equal value tells no observer, a value that cannot be compared tells it each time`() {
        let derived = Derived()
        let token = derived.objectWillChange.observe { [journal] in journal.add("changes") }
        derived.name = "base"
        #expect(journal.take() == [])
        derived.opaque = Derived.Opaque()
        derived.opaque.number = 0
        #expect(journal.take() == ["changes", "changes"])
        derived.name = "other"
        #expect(journal.take() == ["changes"])
        token.cancel()
    }

    @Test func `an object with an objectWillChange of its own tells by that`() {
        let own = Own()
        own.count = 1
        let token = own.objectWillChange.observe { [journal, weak own] in journal.add("\(own?.count ?? -1)") }
        own.count = 2
        own.objectWillChange.send()
        #expect(journal.take() == ["1", "2"])
        token.cancel()
        own.count = 3
        #expect(journal.take() == [])
    }

    @Test func `an observation ends with its last reference, and another one begins`() {
        let confined = Confined()
        confined.count = 1
        for number in 2...4 {
            let token = confined.objectWillChange.observe { [journal] in journal.add("to \(number)") }
            confined.count = number
            withExtendedLifetime(token) {}
        }
        confined.count = 9
        #expect(journal.take() == ["to 2", "to 3", "to 4"])
    }

    @Test func `an observer may observe and cancel, which holds for the same change`() {
        let own = Own()
        let last = Subject<ObjectObservation?>(nil)
        let outer = own.objectWillChange.observe { [journal] in
            journal.add("outer \(own.count)")
            last.value?.cancel()
            last.send(own.objectWillChange.observe { journal.add("inner") })
        }
        own.count = 1
        own.count = 2
        // Whichever observer runs first, the outer one cancels the inner one before or after that one runs.
        #expect(journal.take().filter { $0.hasPrefix("outer") } == ["outer 0", "outer 1"])
        outer.cancel()
        own.count = 3
        #expect(journal.take() == ["inner"])
        last.send(nil)
        own.count = 4
        #expect(journal.take() == [])
    }

    @Test func `an observer may set the property, and the set that called it comes last`() {
        let own = Own()
        let token = own.objectWillChange.observe { [journal] in
            journal.add("\(own.count)")
            if journal.all.count == 1 { own.count = 5 }
        }
        own.count = 1
        #expect(own.count == 1)
        #expect(journal.take() == ["0", "0"])
        token.cancel()
    }

    @Test func `a class that is no observable object has published properties all the same`() {
        let plain = Plain()
        plain.count = 3
        #expect(plain.count == 3)
    }

    @Test func `the sequence of an object's changes begins at once, and shows the new value after each`() async {
        for isOwn in [false, true] {
            let (thing, own) = (Thing(journal, Numbers()), Own())
            var values = (isOwn ? own.objectWillChange : thing.objectWillChange).values.makeAsyncIterator()
            #expect(await values.next() != nil)
            for number in 1...200 {
                if isOwn { own.count = number } else { thing.count = number }
                #expect(await values.next() != nil)
                #expect((isOwn ? own.count : thing.count) == number)
            }
            if isOwn { own.objectWillChange.send() } else { thing.objectWillChange.send() }
            #expect(await values.next() != nil)
        }
    }

    @Test func `changes that come while a subscriber is busy merge, and the last is not lost`() async {
        let own = Own()
        var values = own.objectWillChange.values.makeAsyncIterator()
        _ = await values.next()
        for number in 1...10 { own.count = number }
        #expect(await values.next() != nil)
        let waiting = Task {
            for await _ in own.objectWillChange.values where own.count == 11 { return own.count }
            return -1
        }
        own.count = 11
        #expect(await waiting.value == 11)
    }

    @Test func `the sequence ends with the object, which it does not keep`() async {
        var thing: Thing? = Thing(journal, Numbers())
        var own: Own? = Own()
        weak let (weakThing, weakOwn) = (thing, own)
        let sequences = [thing?.objectWillChange.values, own?.objectWillChange.values].compactMap { $0 }
        var iterators = sequences.map { $0.makeAsyncIterator() }
        for index in iterators.indices { #expect(await iterators[index].next() != nil) }
        thing?.count = 1
        own?.count = 1
        thing = nil
        own = nil
        #expect(weakThing == nil && weakOwn == nil)
        for index in iterators.indices {
            // The sequence delivers the last change, and then its end.
            #expect(await iterators[index].next() != nil)
            #expect(await iterators[index].next() == nil)
        }
        for sequence in sequences {
            var late = sequence.makeAsyncIterator()
            #expect(await late.next() == nil)
        }
    }

    @Test func `objects that share a subject tell their own observers, and end on their own`() async {
        let shared = Subject("C")
        let (first, second) = (Meter(shared), Meter(shared))
        let tokens = [
            first.objectWillChange.observe { [journal] in journal.add("first") },
            second.objectWillChange.observe { [journal] in journal.add("second") },
        ]
        first.unit = "K"
        second.unit = "F"
        first.unit = "C"
        #expect(journal.take() == ["first", "second", "first"])
        withExtendedLifetime(tokens) {}

        var publishing: [PublishingMeter] = [PublishingMeter(shared), PublishingMeter(shared)]
        var values = publishing.map { $0.objectWillChange.values.makeAsyncIterator() }
        for index in values.indices { #expect(await values[index].next() != nil) }
        publishing.removeFirst()
        #expect(await values[0].next() == nil)
        publishing[0].count = 1
        #expect(await values[1].next() != nil)
        publishing = []
        #expect(await values[1].next() == nil)
    }

    @Test func `a cancelled task leaves the sequence`() async {
        let own = Own()
        let task = Task { [journal] in
            for await _ in own.objectWillChange.values { journal.add("changes") }
            journal.add("left")
        }
        await journal.until { $0 == ["changes"] }
        task.cancel()
        await task.value
        #expect(journal.take() == ["changes", "left"])
    }

    @Test func `what a component reads updates it, and a published property that it does not read does not`()
        async throws
    {
        try await Scene.run { scene in
            let thing = Thing(scene.journal, scene.numbers)
            let observed = Journal()
            let token = thing.objectWillChange.observe { observed.add("changes") }
            let host = try await scene.scope.host { Declaring(journal: scene.journal, thing: thing) }
            _ = scene.journal.take()
            thing.name = "other"
            try await host.settle()
            #expect(scene.journal.take() == [] && observed.take() == ["changes"])
            thing.count = 1
            try await host.settle()
            #expect(scene.journal.take() == ["count 1"] && observed.take() == ["changes"])
            thing.objectWillChange.send()
            try await host.settle()
            #expect(scene.journal.take() == ["count 1"] && observed.take() == ["changes"])
            token.cancel()
        }
    }

    @Test func `many threads that set, observe and cancel lose nothing`() async {
        let thing = Thing(journal, Numbers())
        let told = Atomic<Int>(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        let token = thing.objectWillChange.observe {}
                        await Task.yield()
                        token.cancel()
                    }
                }
            }
            group.addTask { for number in 1...5_000 { thing.count = number } }
        }
        let token = thing.objectWillChange.observe { told.wrappingAdd(1, ordering: .relaxed) }
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<500 { thing.count = 10_000 * (task + 1) + number } }
            }
        }
        // Each set has a different value, and notifies the observer exactly once.
        #expect(told.load(ordering: .relaxed) == 2_000)
        token.cancel()
    }
}
