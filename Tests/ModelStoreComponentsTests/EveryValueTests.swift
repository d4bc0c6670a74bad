import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

extension Journal {
    /// Adds a line, and then waits for a sign, which stays for all later lines.
    fileprivate func addSlowly(_ line: String) async {
        add(line)
        await until { $0.contains("go on") }
    }

    /// The lines that begin with a word, without it.
    fileprivate func lines(of word: String) -> [String] {
        all.filter { $0.hasPrefix("\(word) ") }.map { String($0.dropFirst(word.count + 1)) }
    }
}

/// Receives values with closures that are slow.
@Component
private struct Receiving {
    let journal: Journal
    let number: Subject<Int>
    @ObservedObject var thing: Thing
    @ObservedObject var sensor: Model<Sensor>

    func update(_ context: inout ComponentContext) {
        let journal = journal
        context.onReceive(number) { await journal.addSlowly("number \($0)") }
        context.onReceive(thing.$count) { await journal.addSlowly("count \($0)") }
        context.onReceive(sensor.values(of: \.celsius)) { await journal.addSlowly("celsius \($0)") }
        context.onReceive(sensor.changes) { await journal.addSlowly("change \($0.new?.celsius ?? 0)") }
    }
}

/// Shows the newest value of a sequence.
@Component
private struct Showing {
    let journal: Journal
    @ObservedPublisher var celsius: Double

    init(_ journal: Journal, _ sensor: Model<Sensor>) {
        self.journal = journal
        _celsius = ObservedPublisher(publisher: sensor.values(of: \.celsius), initial: 0)
    }

    func update(_ context: inout ComponentContext) { journal.add("shows \(celsius)") }
}

/// `onReceive` with a closure that takes longer than the values need to come.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct EveryValueTests {
    private static let words = ["number", "count", "celsius", "change"]

    private static func expect(_ journal: Journal, _ last: Int) async {
        let celsius = (0...last).map { "\(Double(20 + $0))" }
        journal.add("go on")
        await journal.until { lines in
            lines.contains("number \(last)") && lines.contains("count \(last)")
                && lines.contains("celsius \(Double(20 + last))") && lines.contains("change \(Double(20 + last))")
        }
        #expect(journal.lines(of: "number") == (0...last).map { "\($0)" })
        #expect(journal.lines(of: "count") == (0...last).map { "\($0)" })
        #expect(journal.lines(of: "celsius") == celsius)
        #expect(journal.lines(of: "change") == celsius)
    }

    private static func change(_ number: Subject<Int>, _ thing: Thing, _ scene: Scene, to last: Int) async throws {
        for value in 1...last {
            number.send(value)
            thing.count = value
            try await scene.set("s0", Double(20 + value))
        }
    }

    @Test func `a component receives every value that came while its closure ran, in order`() async throws {
        try await Scene.run { scene in
            let (journal, number) = (scene.journal, Subject(0))
            let thing = Thing(journal, scene.numbers)
            let sensor = try scene.store.model(Sensor.self, id: "s0")
            _ = try await scene.scope.host {
                Receiving(journal: journal, number: number, thing: thing, sensor: sensor)
            }
            await journal.until { lines in Self.words.allSatisfy { word in lines.contains { $0.hasPrefix(word) } } }
            try await Self.change(number, thing, scene, to: 50)
            await Self.expect(journal, 50)
        }
    }

    @Test func `a scope receives every value from the call on`() async throws {
        try await Scene.run { scene in
            let (journal, number, scope) = (scene.journal, Subject(0), scene.scope)
            let thing = Thing(journal, scene.numbers)
            let sensor = try scene.store.model(Sensor.self, id: "s0")
            try scope.onReceive(number) { await journal.addSlowly("number \($0)") }
            try scope.onReceive(thing.$count) { await journal.addSlowly("count \($0)") }
            try scope.onReceive(sensor.values(of: \.celsius)) { await journal.addSlowly("celsius \($0)") }
            try scope.onReceive(sensor.changes) { await journal.addSlowly("change \($0.new?.celsius ?? 0)") }
            // Without waiting for the tasks to begin.
            try await Self.change(number, thing, scene, to: 50)
            await Self.expect(journal, 50)
        }
    }

    @Test func `values that wait when the scope closes are not received, and the last value of a released subject is`()
        async throws
    {
        let journal = Journal()
        try await OwnershipRegistry().withScope("app") { app in
            let (closed, open) = (try app.child("closed"), try app.child("open"))
            var number: Subject<Int>? = Subject(0)
            if let number {
                try closed.onReceive(number) { await journal.addSlowly("closed \($0)") }
                try open.onReceive(number) { await journal.addSlowly("open \($0)") }
            }
            await journal.until { $0.contains("closed 0") && $0.contains("open 0") }
            for value in 1...3 { number?.send(value) }
            closed.close()
            number = nil
            journal.add("go on")
            await closed.waitUntilClosed()
            await journal.until { $0.contains("open 3") }
            #expect(journal.lines(of: "closed") == ["0"])
            #expect(journal.lines(of: "open") == ["0", "1", "2", "3"])
        }
    }

    @Test func `an observed publisher takes its first value by name`() async throws {
        try await Scene.run { scene in
            let journal = scene.journal
            let sensor = try scene.store.model(Sensor.self, id: "s0")
            _ = try await scene.scope.host { Showing(journal, sensor) }
            await journal.until { $0.last == "shows 20.0" }
            try await scene.set("s0", 21)
            await journal.until { $0.last == "shows 21.0" }
        }
    }
}
