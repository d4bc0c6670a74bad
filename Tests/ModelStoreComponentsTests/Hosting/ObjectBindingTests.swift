import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// The bindings that components hand out.
private struct Handed: Sendable {
    let owned = Subject<Binding<Int>?>(nil)
    let observed = Subject<Binding<Int>?>(nil)
    let provided = Subject<Binding<Int>?>(nil)
    let celsius = Subject<Binding<Double>?>(nil)
    let eager = Subject<Binding<Double>?>(nil)
}

/// Owns a thing, which two components below it receive in two ways.
@Component
private struct Owner {
    let scene: Scene
    let handed: Handed
    @StateObject var thing: Thing

    init(_ scene: Scene, _ handed: Handed) {
        self.scene = scene
        self.handed = handed
        _thing = StateObject(wrappedValue: Thing(scene.journal, scene.numbers))
    }

    func update(_ context: inout ComponentContext) {
        scene.journal.add("owner")
        handed.owned.send($thing.count)
        let thing = thing
        context.place(Observer(journal: scene.journal, handed: handed, thing: thing))
        context.place(Asker(journal: scene.journal, handed: handed)) { $0.provide(thing) }
    }
}

@Component
private struct Observer {
    let journal: Journal
    let handed: Handed
    @ObservedObject var thing: Thing

    func update(_ context: inout ComponentContext) {
        handed.observed.send($thing.count)
        journal.add("observer \(thing.count)")
    }
}

@Component
private struct Asker {
    let journal: Journal
    let handed: Handed
    @EnvironmentObject var thing: Thing

    func update(_ context: inout ComponentContext) {
        handed.provided.send($thing.count)
        journal.add("asker \(thing.count)")
    }
}

@Component
private struct Thermometer {
    let journal: Journal
    let handed: Handed
    @ObservedObject var sensor: Model<Sensor>

    func update(_ context: inout ComponentContext) {
        handed.celsius.send($sensor.celsius)
        handed.eager.send(
            $sensor.binding(\.celsius, isOptimistic: true) { [journal] in
                journal.add("\(($0 as? StoreError)?.code == .recordNotFound)")
            })
        journal.add("\(sensor.celsius)")
    }
}

/// Hands one of two things to a borrower.
@Component
private struct Switching {
    let journal: Journal
    let first: Thing
    let second: Thing
    let isSecond: Subject<Bool>
    let handed: Handed

    func update(_ context: inout ComponentContext) {
        context.place(Observer(journal: journal, handed: handed, thing: isSecond.value ? second : first))
    }
}

/// `$object.property`.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ObjectBindingTests {
    private let handed = Handed()

    @Test func `bindings of an owned, an observed and a provided object write it, and update who reads it`()
        async throws
    {
        try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Owner(scene, handed) }
            #expect(journal.take() == ["created 1", "owner", "observer 0", "asker 0"])
            for (number, subject) in [handed.owned, handed.observed, handed.provided].enumerated() {
                let binding = try #require(subject.value)
                binding.update { $0 += 1 }
                #expect(binding.wrappedValue == number + 1)
                try await host.settle()
                // The owner reads no property of the thing.
                #expect(journal.take() == ["observer \(number + 1)", "asker \(number + 1)"])
                subject.send(nil)
            }
            for subject in [handed.owned, handed.observed, handed.provided] { subject.send(nil) }
        }
    }

    @Test func `a binding to a model's field queues a write, and updates who reads it`() async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host {
                Thermometer(journal: scene.journal, handed: handed, sensor: try scene.store.model(id: "s0"))
            }
            let celsius = try #require(handed.celsius.value)
            celsius.wrappedValue = 30
            celsius.update { $0 += 1 }
            // This write runs after the queued writes of the binding.
            try await scene.store.write { tx in
                let committed = try tx.get(Sensor.self, id: "s0")?.celsius
                #expect(committed == 31)
            }
            try await host.settle()
            #expect(celsius.wrappedValue == 31 && scene.journal.take().last == "31.0")
            handed.celsius.send(nil)
            handed.eager.send(nil)
        }
    }

    @Test func `a failed write is told to who asked, else as a notice with the property's line, once`() async throws {
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            _ = try await scene.scope.host {
                Thermometer(journal: journal, handed: handed, sensor: try scene.store.model(id: "s0"))
            }
            let (celsius, eager) = (try #require(handed.celsius.value), try #require(handed.eager.value))
            try await scene.store.write { try $0.delete(Sensor.self, id: "s0") }
            eager.wrappedValue = 5
            await journal.until { $0.last == "true" }
            // The binding shows the last committed value again.
            #expect(eager.wrappedValue == 20 && scene.notices.all.isEmpty)
            for number in 0..<3 { celsius.wrappedValue = Double(number) }
            // This write runs after the queued writes of the binding.
            try await scene.store.write { _ in }
            let told = try #require(await scene.notices.first(.writeFailed))
            #expect(told.line?.file.hasSuffix("ObjectBindingTests.swift") == true)
            #expect(
                (told.error as? StoreError)?.code == .recordNotFound
                    && told.message.hasPrefix("a binding set Sensor.celsius")
            )
            handed.celsius.send(nil)
            handed.eager.send(nil)
        }
        #expect(notices.all.map(\.code) == [.writeFailed])
    }

    @Test func `a borrower that is handed another object follows that from then on, and no more the old one`()
        async throws
    {
        let isSecond = Subject(false)
        try await Scene.run { scene in
            let (journal, registry) = (scene.journal, scene.store.ownership)
            let (first, second) = (Thing(journal, scene.numbers), Thing(journal, scene.numbers))
            try scene.scope.own(first)
            try scene.scope.own(second)
            let host = try await scene.scope.host {
                Switching(journal: journal, first: first, second: second, isSecond: isSecond, handed: handed)
            }
            #expect(journal.take() == ["created 1", "created 2", "observer 0"])
            #expect(registry.whyAlive(first).pins.map(\.kind) == [.borrower, .owner])
            isSecond.send(true)
            // The change happens before the borrower follows the second object.
            second.count = 7
            try await host.settle()
            #expect(journal.take().last == "observer 7")
            #expect(registry.whyAlive(first).pins.map(\.kind) == [.owner])
            #expect(registry.whyAlive(second).pins.map(\.kind) == [.borrower, .owner])
            first.count = 1
            first.objectWillChange.send()
            try await host.settle()
            #expect(journal.take() == [])
            second.count = 8
            try await host.settle()
            #expect(journal.take() == ["observer 8"])
            second.objectWillChange.send()
            try await host.settle()
            #expect(journal.take() == ["observer 8"])
            handed.observed.send(nil)
        }
    }
}
