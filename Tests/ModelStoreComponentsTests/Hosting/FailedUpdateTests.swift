import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private struct Refusal: Error {
    let number: Int
}

/// A dynamic property that reads its parts before the component does.
@propertyWrapper
private struct CountOfThing: DynamicProperty {
    @EnvironmentObject private var thing: Thing
    private var count = 0

    mutating func visit(_ slots: inout DynamicPropertyVisitor) { slots.visit(&_thing) }
    mutating func update() { count = thing.count }
    var wrappedValue: Int { count }
}

@Component
private struct Asker {
    let journal: Journal
    @CountOfThing var count: Int

    func update(_ context: inout ComponentContext) { journal.add("counts \(count)") }
}

@Component
private struct Provider {
    let journal: Journal
    let thing: Subject<Thing?>

    func update(_ context: inout ComponentContext) {
        let thing = thing.value
        context.place(Asker(journal: journal)) { if let thing { $0.provide(thing) } }
    }
}

/// Fails at the end of its update if `fails` is set.
@Component
private struct Fallible {
    let journal: Journal
    let value: Subject<Int>
    let fails: Subject<Bool>

    func update(_ context: inout ComponentContext) throws {
        let journal = journal
        context.onAppear { journal.add("appears") }
        context.onChange(of: value.value) { journal.add("\($0) becomes \($1)") }
        if fails.value { throw Refusal(number: value.value) }
        journal.add("updated")
    }
}

@Component
private struct Many {
    let journal: Journal
    let fails: Subject<Bool>

    func update(_ context: inout ComponentContext) {
        for number in 0..<50 {
            context.place(Fallible(journal: journal, value: Subject(number), fails: fails), id: number)
        }
    }
}

/// Changes with each update a value that it reads.
@Component
private struct Endless {
    let count = Subject(0)

    func update(_ context: inout ComponentContext) { count.send(count.value + 1) }
}

/// Updates that cannot run, or that fail.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct FailedUpdateTests {
    @Test func `a dynamic property is not updated while an object that it is made of is missing`() async throws {
        let provided = Subject<Thing?>(nil)
        try await Scene.run { scene in
            let host = try await scene.scope.host { Provider(journal: scene.journal, thing: provided) }
            #expect(scene.journal.take() == [] && scene.notices.all.map(\.code) == [.missingObject])
            let thing = Thing(scene.journal, scene.numbers)
            provided.send(thing)
            try await host.settle()
            #expect(scene.journal.take() == ["created 1", "counts 0"])
            provided.send(nil)
            try await host.settle()
            #expect(scene.journal.take() == [])
        }
    }

    @Test func `what runs once at the appearance runs after the first update that does not fail`() async throws {
        let (value, fails) = (Subject(0), Subject(true))
        try await Scene.run { scene in
            let host = try await scene.scope.host { Fallible(journal: scene.journal, value: value, fails: fails) }
            #expect(scene.journal.take() == [])
            fails.send(false)
            try await host.settle()
            #expect(scene.journal.take() == ["updated", "appears"])
            value.send(1)
            try await host.settle()
            #expect(scene.journal.take() == ["updated", "0 becomes 1"])
        }
    }

    @Test func `a change of a value is told after the update that does not fail, once`() async throws {
        let (value, fails) = (Subject(0), Subject(false))
        try await Scene.run { scene in
            let host = try await scene.scope.host { Fallible(journal: scene.journal, value: value, fails: fails) }
            #expect(scene.journal.take() == ["updated", "appears"])
            fails.send(true)
            value.send(1)
            try await host.settle()
            #expect(scene.journal.take() == [])
            fails.send(false)
            try await host.settle()
            #expect(scene.journal.take() == ["updated", "0 becomes 1"])
        }
    }

    @Test func `a failing update is told once for the line that places the component`() async throws {
        let fails = Subject(true)
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Many(journal: journal, fails: fails) }
            let told = try #require(scene.notices.of(.updateFailed).first)
            #expect(scene.notices.all.count == 1 && scene.store.ownership.metrics.noticeCount == 1)
            #expect(told.line?.file.hasSuffix("FailedUpdateTests.swift") == true && told.error is Refusal)
            #expect(told.scope == "app/Many/Fallible[0]")
            fails.send(false)
            try await host.settle()
            #expect(journal.count("updated") == 50)
        }
        #expect(notices.all.count == 1)
    }

    @Test func `updates without an end are told once for the line that hosts them`() async throws {
        let notices = try await Scene.run { scene in
            for number in 0..<3 {
                try await scene.scope.withChild("part \(number)") { scope in
                    _ = try await scope.host { Endless() }
                }
            }
        }
        #expect(notices.all.map(\.code) == [.endlessUpdates])
        #expect(notices.all.first?.line?.file.hasSuffix("FailedUpdateTests.swift") == true)
        #expect(notices.all.first?.scope == "app/part 0")
    }
}
