import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private final class Source: ObservableObject, Sendable {
    let name: String
    @Published var count: Int

    init(_ name: String, _ count: Int) {
        self.name = name
        self.count = count
    }
}

/// Receives the values of the object, the model and the sequence that its parent hands in.
@Component
private struct Receiving {
    let journal: Journal
    @ObservedObject var source: Source
    @ObservedObject var sensor: Model<Sensor>
    let id: Int

    // An initializer can set observed objects.
    init(_ journal: Journal, _ source: Source, _ sensor: Model<Sensor>, id: Int) {
        self.journal = journal
        self.id = id
        self.source = source
        self.sensor = sensor
    }

    func update(_ context: inout ComponentContext) {
        let (name, sensor, id) = (source.name, sensor, id)
        context.onReceive(source.$count) { [journal] in journal.add("\(name) \($0)") }
        context.onReceive(sensor.values(of: \.celsius)) { [journal] in journal.add("\(sensor.id) \($0)") }
        context.onReceive(AsyncStream { $0.yield(id) }, id: id) { [journal] in journal.add("id \($0)") }
    }
}

@Component
private struct Handing {
    let journal: Journal
    let source: Subject<Source>
    let sensor: Subject<Model<Sensor>>
    let id: Subject<Int>

    func update(_ context: inout ComponentContext) {
        context.place(Receiving(journal, source.value, sensor.value, id: id.value))
    }
}

/// `onReceive` when its source is replaced.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ReceiverTests {
    @Test func `another object, another model and another id begin their own sequences, and end the ones before`()
        async throws
    {
        try await Scene.run { scene in
            let journal = scene.journal
            let (a, b) = (Source("a", 1), Source("b", 2))
            let models = try (0..<2).map { try scene.store.model(Sensor.self, id: "s\($0)") }
            let (source, sensor, id) = (Subject(a), Subject(models[0]), Subject(1))
            let host = try await scene.scope.host {
                Handing(journal: journal, source: source, sensor: sensor, id: id)
            }
            await journal.until { Set($0) == ["a 1", "s0 20.0", "id 1"] }
            _ = journal.take()
            source.send(b)
            sensor.send(models[1])
            id.send(2)
            try await host.settle()
            await journal.until { Set($0) == ["b 2", "s1 20.0", "id 2"] }
            _ = journal.take()
            // The component no longer receives the previous sources.
            a.count = 3
            try await scene.set("s0", 21)
            b.count = 4
            try await scene.set("s1", 22)
            await journal.until { $0.contains("b 4") && $0.contains("s1 22.0") }
            #expect(Set(journal.take()) == ["b 4", "s1 22.0"])
            // Unchanged sequences continue and do not restart.
            source.send(b)
            id.send(2)
            try await host.settle()
            b.count = 5
            await journal.until { !$0.isEmpty }
            #expect(journal.take() == ["b 5"])
        }
    }
}
