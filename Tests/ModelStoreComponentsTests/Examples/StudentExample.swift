import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

// A store with a title and a student, and form fields bound to it.

private struct Student: Sendable, Equatable {
    var name = "Ann"
    var age = 12
}

private final class SchoolStore: ObservableObject, Sendable {
    @Published var title = "School"
    @Published var student = Student()
}

/// The fields of the form, by name.
private typealias Keyboard = Subject<[String: Binding<String>]>

@Component
private struct SchoolView {
    let journal: Journal
    let keyboard: Keyboard
    @StateObject var store = SchoolStore()

    init(_ journal: Journal, _ keyboard: Keyboard) {
        self.journal = journal
        self.keyboard = keyboard
    }

    func update(_ context: inout ComponentContext) {
        journal.add("school")
        context.place(TextField("title", $store.title, journal, keyboard))
        context.place(TextField("name", $store.student.name, journal, keyboard))
        context.place(AgeView(journal: journal, store: store))
    }
}

@Component
private struct TextField {
    let name: String
    let journal: Journal
    let keyboard: Keyboard
    @Binding var text: String

    init(_ name: String, _ text: Binding<String>, _ journal: Journal, _ keyboard: Keyboard) {
        self.name = name
        self.journal = journal
        self.keyboard = keyboard
        _text = text
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(name): \(text)")
        let (name, text) = (name, $text)
        context.onAppear { keyboard.update { $0[name] = text } }
    }
}

@Component
private struct AgeView {
    let journal: Journal
    @ObservedObject var store: SchoolStore

    func update(_ context: inout ComponentContext) { journal.add("\(store.student.name) is \(store.student.age)") }
}

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct StudentExample {
    @Test func `typing into a field changes its part of the store, and updates the components that read it`()
        async throws
    {
        let keyboard = Keyboard([:])
        try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { SchoolView(journal, keyboard) }
            #expect(journal.take() == ["school", "title: School", "name: Ann", "Ann is 12"])
            func type(_ text: String, into field: String) async throws -> [String] {
                keyboard.value[field]?.wrappedValue = text
                try await host.settle()
                return journal.take()
            }
            #expect(try await type("College", into: "title") == ["title: College"])
            #expect(try await type("Bob", into: "name") == ["name: Bob", "Bob is 12"])
            #expect(try await type("Bob", into: "name") == [])
            #expect(keyboard.value["name"]?.wrappedValue == "Bob")
            keyboard.send([:])
        }
    }
}
