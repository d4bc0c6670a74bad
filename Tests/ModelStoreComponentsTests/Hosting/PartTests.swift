import ModelStore
import ModelStoreComponents
import Synchronization
import TestSupport
import Testing

private enum Mood: Sendable, Equatable {
    case calm
    case busy(Int)
}

private enum Level: String, Sendable {
    case first, second
}

private struct Address: NestedState, Equatable {
    var city = "Oslo"
    var street = "Main"
    var floor: Int?
}

private struct Person: NestedState, Equatable {
    var name = "Ann"
    var age = 12
    var address = Address()
    var level = Level.first
    var mood = Mood.calm
    var friends: [Address] = []
    /// Hides no description of the elements.
    var description = "a person"

    var initial: String { String(name.prefix(1)) }
    func greeting() -> String { "Hello, \(name)" }
}

/// A struct that conforms to nothing.
private struct Plain: Equatable {
    var name = "Bob"
    var age = 30
}

private struct Town: Sendable {
    var person = Person()
    var plain = Plain()
    var mood = Mood.calm
}

private typealias TownStore = StateStore<Town, @Sendable (inout Town) -> Void>

private func town() -> TownStore { StateStore(Town()) { town, change in change(&town) } }

/// Shows one part of the state.
private struct Part: Sendable {
    let name: String
    let read: @Sendable (TownStore) -> String
}

@Component
private struct PartView {
    let journal: Journal
    let store: TownStore
    let part: Part

    func update(_ context: inout ComponentContext) { journal.add("\(part.name) \(part.read(store))") }
}

@Component
private struct TownView {
    let journal: Journal
    let store: TownStore
    let parts: [Part]

    func update(_ context: inout ComponentContext) {
        for part in parts { context.place(PartView(journal: journal, store: store, part: part), id: part.name) }
    }
}

private class Profile: ObservableObject, @unchecked Sendable {
    @Published var person = Person()

    /// Its name is the city.
    var swapped: Person {
        get {
            var person = person
            person.name = person.address.city
            return person
        }
        set { person.address.city = newValue.name }
    }
}

/// Its name is the city.
private final class SwappedProfile: Profile, @unchecked Sendable {
    override var person: Person {
        get {
            var person = super.person
            person.name = person.address.city
            return person
        }
        set { super.person = newValue }
    }
}

private final class ConfinedProfile: ObservableObject {
    @Published var person = Person()
}

/// Shows a text that another component has.
@Component
private struct TextView {
    let journal: Journal
    let name: String
    @Binding var text: String

    init(_ journal: Journal, _ name: String, _ text: Binding<String>) {
        self.journal = journal
        self.name = name
        _text = text
    }

    func update(_ context: inout ComponentContext) { journal.add("\(name) \(text)") }
}

/// Holds persons in all kinds of sources, and shows the city of each person.
@Component
private struct CityViews {
    let journal: Journal
    let handed: Subject<[String: Binding<Person>]>
    let subject: Subject<Person>
    let store: TownStore
    @State var own = Person()
    @StateObject var profile = Profile()
    @StateObject var swapped: Profile = SwappedProfile()
    @StateObject var confined = ConfinedProfile()

    init(
        _ journal: Journal, _ handed: Subject<[String: Binding<Person>]>, _ subject: Subject<Person>, _ store: TownStore
    ) {
        self.journal = journal
        self.handed = handed
        self.subject = subject
        self.store = store
    }

    private var persons: [String: Binding<Person>] {
        [
            "state": $own, "subject": subject.binding, "published": $profile.person,
            "confined": $confined.confined.person, "computed": $profile.swapped, "overridden": $swapped.person,
            "store": store.binding(\.person) { person in { $0.person = person } },
        ]
    }

    func update(_ context: inout ComponentContext) {
        journal.add("views")
        for (name, person) in persons.sorted(by: { $0.key < $1.key }) {
            context.place(TextView(journal, name, person.address.city), id: name)
        }
        context.place(TextView(journal, "name of computed", $profile.swapped.name))
        context.place(TextView(journal, "name of overridden", $swapped.person.name))
        let persons = persons
        context.onAppear { handed.send(persons) }
    }
}

/// Which parts of a value an update depends on.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct PartTests {
    private let journal = Journal()

    /// Returns the lines that each change adds to the log.
    private func shown(_ parts: [Part], _ changes: [@Sendable (inout Town) -> Void]) async throws -> [[String]] {
        let (journal, store) = (journal, town())
        var shown: [[String]] = []
        try await OwnershipRegistry().withScope("app") { scope in
            let host = try await scope.host { TownView(journal: journal, store: store, parts: parts) }
            _ = journal.take()
            for change in changes {
                store.send(change)
                try await host.settle()
                shown.append(journal.take())
            }
        }
        return shown
    }

    @Test func `an element of a nested state is read on its own, at any depth`() async throws {
        let parts = [
            Part(name: "name") { $0.person.name },
            Part(name: "city") { $0.person.address.city },
            Part(name: "floor") { "\($0.person.address.floor ?? 0)" },
            Part(name: "level") { $0.person.level.rawValue },
            Part(name: "friends") { "\($0.person.friends.count)" },
            Part(name: "initial") { $0.person.initial },
            Part(name: "description") { $0.person.description },
        ]
        let shown = try await shown(
            parts,
            [
                { $0.person.age += 1 }, { $0.person.address.street = "Side" }, { $0.person.mood = .busy(1) },
                { $0.person.name = "Amy" }, { $0.person.address.city = "Rome" }, { $0.person.address.floor = 3 },
                { $0.person.level = .second }, { $0.person.friends.append(Address()) },
                { $0.person.description = "another" },
                { $0.person = Person(name: "Bea", age: 1, address: $0.person.address) },
            ])
        #expect(
            shown == [
                [], [], [], ["name Amy"], ["city Rome"], ["floor 3"], ["level second"], ["friends 1"],
                ["description another"],
                ["name Bea", "level first", "friends 0", "initial B", "description a person"],
            ])
    }

    @Test func `a path reads an element of any struct on its own`() async throws {
        let shown = try await shown(
            [Part(name: "plain") { $0[\.plain.name] }, Part(name: "mood") { "\($0[\.person.mood])" }],
            [{ $0.plain.age += 1 }, { $0.plain.name = "Cid" }, { $0.person.age += 1 }, { $0.person.mood = .busy(2) }])
        #expect(shown == [[], ["plain Cid"], [], ["mood busy(2)"]])
    }

    @Test func `a value that is read as a whole depends on all of it`() async throws {
        let parts = [
            Part(name: "copy") { store in
                let person: Person = store.person
                return "\(person.age)"
            },
            Part(name: "elements") { store in
                let person = store.person
                return "\(person.age)"
            },
            Part(name: "greeting") { $0.person.greeting() },
            Part(name: "mood") { store in
                switch store.person.mood {
                case .calm: "calm"
                case .busy: "busy"
                }
            },
            Part(name: "plain") { $0.plain.name },
            Part(name: "text") { "\($0.person)" == "\($0.content.person)" ? "the same" : "another" },
        ]
        let shown = try await shown(parts, [{ $0.person.name = "Amy" }, { $0.plain.age += 1 }])
        #expect(
            shown == [
                ["copy 12", "greeting Hello, Amy", "mood calm", "text the same"], ["plain Bob"],
            ])
    }

    /// Returns the lines of some views that each change of a binding adds to the log.
    private func shown(
        _ views: [String], changing source: String, _ changes: [@Sendable (inout Person) -> Void]
    ) async throws -> [[String]] {
        let (journal, handed) = (journal, Subject<[String: Binding<Person>]>([:]))
        var shown: [[String]] = []
        try await OwnershipRegistry().withScope("app") { scope in
            let host = try await scope.host { CityViews(journal, handed, Subject(Person()), town()) }
            _ = journal.take()
            for change in changes {
                await host.update {
                    guard let binding = handed.value[source] else { return }
                    binding.update(change)
                }
                try await host.settle()
                shown.append(journal.take().filter { line in views.contains { line.hasPrefix($0 + " ") } })
            }
            handed.send([:])
        }
        return shown
    }

    @Test(arguments: ["state", "subject", "published", "confined", "store"])
    func `a binding to a part is read on its own`(source: String) async throws {
        let shown = try await shown(
            [source, "views"], changing: source,
            [{ $0.address.street = "Side" }, { $0.age += 1 }, { $0.address.city = "Rome" }])
        #expect(shown == [[], [], ["\(source) Rome"]])
    }

    @Test func `a computed property depends on all that it reads`() async throws {
        let computed = try await shown(
            ["name of computed"], changing: "published", [{ $0.address.city = "Rome" }, { $0.age += 1 }])
        #expect(computed == [["name of computed Rome"], ["name of computed Rome"]])
        let overridden = try await shown(
            ["name of overridden"], changing: "overridden", [{ $0.address.city = "Rome" }, { $0.age += 1 }])
        #expect(overridden == [["name of overridden Rome"], ["name of overridden Rome"]])
    }

    /// The part is set by several threads, and so are others.
    @Test func `a reader of a part ends on the last value`() async throws {
        let journal = journal
        let subject = Subject(Person())
        try await OwnershipRegistry().withScope("app") { scope in
            let host = try await scope.host { TextView(journal, "city", subject.binding.address.city) }
            for round in 1...TestLength.runs(300, long: 3_000) {
                await withTaskGroup { group in
                    group.addTask { subject.update { $0.address.city = "\(round)" } }
                    group.addTask { subject.update { $0.age += 1 } }
                    group.addTask { subject.update { $0.address.street = "\(round)" } }
                }
                try await host.settle()
                #expect(journal.take().last == "city \(round)")
            }
        }
    }

    @Test func `an element of a state that a binding leads to is released with its last observer`() async throws {
        let store = town()
        let name = store.binding(\.person) { person in { $0.person = person } }.address.city
        for _ in 0..<1_000 { _ = name.wrappedValue }
        store.send { $0.plain.age += 1 }
        #expect(store.elementCount == 0)
    }
}
