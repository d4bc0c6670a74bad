import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// A class that is not `Sendable`: its objects are confined to the host.
private final class Counter: ObservableObject {
    @Published var count = 0
    /// Not observed.
    var note = "none"
}

@Component
private struct CounterOwner {
    let journal: Journal
    let handed: Subject<Binding<Int>?>
    @StateObject var counter = Counter()

    init(_ journal: Journal, _ handed: Subject<Binding<Int>?>) {
        self.journal = journal
        self.handed = handed
    }

    func update(_ context: inout ComponentContext) {
        journal.add("owner")
        handed.send($counter.confined.count)
        let (counter, note) = (counter, $counter.confined.note)
        context.place(CounterStepper(journal: journal, name: "owned", count: $counter.confined.count))
        context.place(CounterObserver(journal: journal, counter: counter))
        context.place(CounterAsker(journal: journal)) { $0.provide(counter) }
        context.onAppear {
            note.wrappedValue = "appeared"
            journal.add("\(note.wrappedValue) \(counter.note)")
        }
    }
}

/// Raises a count once, when it appears.
@Component
private struct CounterStepper {
    let journal: Journal
    let name: String
    @Binding var count: Int

    init(journal: Journal, name: String, count: Binding<Int>) {
        self.journal = journal
        self.name = name
        _count = count
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(name) \(count)")
        let count = $count
        context.onAppear { count.update { $0 += 1 } }
    }
}

@Component
private struct CounterObserver {
    let journal: Journal
    @ObservedObject var counter: Counter

    func update(_ context: inout ComponentContext) {
        context.place(CounterStepper(journal: journal, name: "observed", count: $counter.confined.count))
    }
}

@Component
private struct CounterAsker {
    let journal: Journal
    @EnvironmentObject var counter: Counter

    func update(_ context: inout ComponentContext) {
        context.place(CounterStepper(journal: journal, name: "provided", count: $counter.confined.count))
    }
}

/// Bindings through `$object.confined.property` for a class that is confined to the host.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConfinedObjectTests {
    @Test func `bindings of a class that is not Sendable are used in updates, in handlers and below`() async throws {
        let handed = Subject<Binding<Int>?>(nil)
        try await Scene.run { scene in
            let host = try await scene.scope.host { CounterOwner(scene.journal, handed) }
            try await host.settle()
            let lines = scene.journal.take()
            #expect(lines.prefix(4) == ["owner", "owned 0", "observed 0", "provided 0"])
            // Three components appear and raise the count. All its readers are updated together.
            #expect(Set(lines.dropFirst(4).prefix(1)) == ["appeared appeared"])
            #expect(lines.dropFirst(5) == ["owned 3", "observed 3", "provided 3"])
            handed.send(nil)
        }
    }

    @Test func `a binding of such a class stops the program where another isolation uses it`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let handed = Subject<Binding<Int>?>(nil)
            try await OwnershipRegistry().withScope("app") { scene in
                _ = try await scene.host { CounterOwner(Journal(), handed) }
                handed.value?.wrappedValue = 1
            }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("ComponentHost"))
    }
}
