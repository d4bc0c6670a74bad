import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// A parent with its own state, which places a child that owns a thing.
@Component
private struct OwningParent {
    let scene: Scene
    @State var own = 0
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        own = tick.value
        scene.journal.add("parent \(tick.value)")
        context.place(OwningChild(scene: scene))
    }
}

@Component
private struct OwningChild {
    let scene: Scene
    @StateObject var thing: Thing

    init(scene: Scene) {
        self.scene = scene
        _thing = StateObject(wrappedValue: Thing(scene.journal, scene.numbers))
    }

    func update(_ context: inout ComponentContext) {
        scene.journal.add("child \(thing.number) at \(thing.touch())")
    }
}

/// A parent that creates the thing inline, for a borrower.
@Component
private struct InlineParent {
    let scene: Scene
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        _ = tick.value
        context.place(InlineChild(thing: Thing(scene.journal, scene.numbers), journal: scene.journal))
    }
}

@Component
private struct InlineChild {
    @ObservedObject var thing: Thing
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        journal.add("shows \(thing.number) at \(thing.count)")
        let thing = thing
        context.onAppear { thing.count += 1 }
    }
}

@Component
private struct HandingParent {
    let scene: Scene
    let first: Thing
    let second: Thing
    let isSecond: Subject<Bool>

    func update(_ context: inout ComponentContext) {
        let thing = isSecond.value ? second : first
        context.place(Borrower(thing: thing, journal: scene.journal))
        context.place(LazyOwner(scene: scene, thing: thing))
        context.place(EagerOwner(journal: scene.journal, thing: thing))
    }
}

@Component
private struct Borrower {
    @ObservedObject var thing: Thing
    let journal: Journal

    func update(_ context: inout ComponentContext) { journal.add("borrower \(thing.number)") }
}

@Component
private struct LazyOwner {
    let journal: Journal
    @StateObject var thing: Thing

    init(scene: Scene, thing: Thing) {
        journal = scene.journal
        _thing = StateObject(wrappedValue: LazyOwner.evaluate(thing, scene.journal))
    }

    private static func evaluate(_ thing: Thing, _ journal: Journal) -> Thing {
        journal.add("evaluated \(thing.number)")
        return thing
    }

    func update(_ context: inout ComponentContext) { journal.add("lazy owner \(thing.number)") }
}

@Component
private struct EagerOwner {
    let journal: Journal
    @StateObject var thing: Thing

    init(journal: Journal, thing: Thing) {
        self.journal = journal
        _thing = StateObject(owning: thing)
    }

    func update(_ context: inout ComponentContext) { journal.add("eager owner \(thing.number)") }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct OwnerBehaviours {
    @Test func `1 owner survives`() async throws {
        let tick = Subject(0)
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            try await scene.scope.withChild("part") { scope in
                let host = try await scope.host { OwningParent(scene: scene, tick: tick) }
                for number in 1...20 {
                    tick.send(number)
                    try await host.settle()
                }
                #expect(journal.all.filter { $0.hasPrefix("parent") } == (0...20).map { "parent \($0)" })
                #expect(journal.count("created 1") == 1 && journal.count("destroyed 1") == 0)
                // Nothing that the child declares or reads has changed.
                #expect(journal.all.filter { $0.hasPrefix("child") } == ["child 1 at 1"])
            }
            #expect(journal.all.filter { $0.hasSuffix("ed 1") } == ["created 1", "destroyed 1"])
            #expect(!journal.all.contains("created 2"))
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `2 inline borrower restarts`() async throws {
        let tick = Subject(0)
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            try await scene.scope.withChild("part") { scope in
                let host = try await scope.host { InlineParent(scene: scene, tick: tick) }
                for number in 1...3 {
                    tick.send(number)
                    try await host.settle()
                }
                let constructed = scene.store.ownership.report().constructions
                #expect(constructed.map(\.constructedCount) == [4] && constructed.map(\.usedCount) == [1])
            }
            #expect(
                journal.all == [
                    "created 1", "shows 1 at 0", "shows 1 at 1", "created 2", "destroyed 1", "shows 2 at 0",
                    "created 3", "destroyed 2", "shows 3 at 0", "created 4", "destroyed 3", "shows 4 at 0",
                    "destroyed 4",
                ])
        }
        let told = notices.of(.unowned)
        #expect(told.count == 1 && notices.of(.repeatedConstruction).count == 1 && notices.all.count == 2)
        #expect(told.first?.line?.file.hasSuffix("OwnerBehaviours.swift") == true)
        #expect(told.first?.message.contains("@StateObject") == true)
    }

    @Test func `4 a handed-in object wins for borrowers, an owner keeps its own`() async throws {
        let isSecond = Subject(false)
        let notices = try await Scene.run { scene in
            let first = Thing(scene.journal, scene.numbers)
            let second = Thing(scene.journal, scene.numbers)
            let host = try await scene.scope.host {
                HandingParent(scene: scene, first: first, second: second, isSecond: isSecond)
            }
            #expect(
                scene.journal.take() == [
                    "created 1", "created 2", "borrower 1", "evaluated 1", "lazy owner 1", "eager owner 1",
                ])
            isSecond.send(true)
            try await host.settle()
            #expect(scene.journal.take() == ["borrower 2", "eager owner 1"])
            first.count += 1
            second.count += 1
            try await host.settle()
            // No component reads the count.
            #expect(scene.journal.take() == [])
            // The owners receive both objects again, after they kept their own.
            for isNowSecond in [false, true] {
                isSecond.send(isNowSecond)
                try await host.settle()
                #expect(scene.journal.take() == ["borrower \(isNowSecond ? 2 : 1)", "eager owner 1"])
            }
            // The borrower counts only its first object, because the later ones existed before. The lazy owner counts one object.
            // The eager owner counts two and uses one.
            let constructed = scene.store.ownership.report().constructions
            #expect(constructed.map(\.constructedCount) == [1, 1, 2] && constructed.map(\.usedCount) == [1, 1, 1])
        }
        let told = notices.of(.ignoredObject)
        #expect(told.count == 1 && told.first?.line?.file.hasSuffix("OwnerBehaviours.swift") == true)
    }

    @Test func `4 an object that is handed in again and again is not taken for one that is made in place`() async throws
    {
        let (session, tick) = (Subject<Thing?>(nil), Subject(0))
        let notices = try await Scene.run { scene in
            let host = try await scene.scope.host { LoggingIn(scene: scene, session: session, tick: tick) }
            for number in 1...5 {
                // The program keeps this object; no scope does.
                session.send(Thing(scene.journal, scene.numbers))
                for turn in 0..<3 {
                    tick.send(number * 10 + turn)
                    try await host.settle()
                }
            }
            session.send(nil)
            try await host.settle()
            #expect(scene.journal.count("destroyed 5") == 1)
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `18 what an owner ignores is counted once, however often the owner is updated`() async throws {
        let (thing, tick) = (Subject<Thing?>(nil), Subject(0))
        let notices = try await Scene.run { scene in
            thing.send(Thing(scene.journal, scene.numbers))
            let host = try await scene.scope.host { Handing(scene: scene, thing: thing, tick: tick) }
            thing.send(Thing(scene.journal, scene.numbers))
            for number in 1...5 {
                tick.send(number)
                try await host.settle()
            }
            #expect(scene.store.ownership.report().constructions.map(\.constructedCount) == [2])
        }
        #expect(notices.all.map(\.code) == [.ignoredObject])
    }

    @Test func `4 a borrower is not told off for objects that the program keeps, or for records' models`() async throws
    {
        let index = Subject(0)
        let notices = try await Scene.run(sensors: 5) { scene in
            let things = [Thing(scene.journal, scene.numbers), Thing(scene.journal, scene.numbers)]
            let host = try await scene.scope.host { Switching(scene: scene, things: things, index: index) }
            for number in 1...6 {
                index.send(number)
                try await host.settle()
            }
            let shown = scene.journal.all.filter { $0.hasPrefix("shows") }
            #expect(
                shown == (0...6).flatMap { ["shows s\($0 % 5)", "shows \($0 % 2 + 1)"] })
            let constructed = scene.store.ownership.report().constructions
            #expect(constructed.map(\.type) == ["Thing"] && constructed.map(\.constructedCount) == [1])
        }
        #expect(notices.of(.unowned).isEmpty && notices.of(.repeatedConstruction).isEmpty)
    }

    @Test func `12 a root's object is there for all scopes below, one after the other, and goes with the root`()
        async throws
    {
        let journal = Journal()
        let registry = OwnershipRegistry()
        let numbers = Numbers()
        var root: Scope? = registry.scope("process")
        try #require(root).provide(Thing(journal, numbers))
        for number in 0..<5 {
            try await #require(root).withChild("connection \(number)") { connection in
                let thing: Thing = try connection.environmentObject()
                #expect(thing.number == 1 && thing.touch() == number + 1)
            }
        }
        #expect(journal.all == ["created 1"] && registry.report().objects.count == 1)
        // The test holds the only reference to the root.
        root = nil
        #expect(journal.all == ["created 1", "destroyed 1"] && registry.report().isEmpty)
    }

    @Test func `12 a root's object goes with its store`() async throws {
        let journal = Journal()
        let store = try Store.temporary(records: Sensor.self)
        let root = try store.scope("process")
        _ = try root.stateObject { Thing(journal, Numbers()) }
        #expect(journal.all == ["created 1"])
        store.close()
        await root.waitUntilClosed()
        #expect(journal.all == ["created 1", "destroyed 1"] && store.ownership.report().isEmpty)
    }

    @Test func `12 a shared owner's object goes with the second scope`() async throws {
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let first = try scene.scope.child("first")
            let second = try scene.scope.child("second")
            weak var weakThing: Thing?
            do {
                let thing = try first.stateObject { Thing(journal, scene.numbers) }
                try second.own(thing)
                weakThing = thing
            }
            first.close()
            await first.waitUntilClosed()
            #expect(weakThing != nil && scene.store.ownership.leaks().isEmpty)
            do {
                let thing = try #require(weakThing)
                #expect(scene.store.ownership.whyAlive(thing).pins.map(\.holder) == ["app/second"])
            }
            second.close()
            #expect(weakThing == nil)
            #expect(journal.all == ["created 1", "destroyed 1"])
        }
    }

    @Test func `18 heavy construction is visible`() async throws {
        let tick = Subject(0)
        let notices = try await Scene.run { scene in
            let host = try await scene.scope.host { EagerParent(scene: scene, tick: tick) }
            for number in 1...4 {
                tick.send(number)
                try await host.settle()
            }
            let constructed = scene.store.ownership.report().constructions
            #expect(constructed.map(\.type) == ["Thing"])
            #expect(constructed.map(\.constructedCount) == [5] && constructed.map(\.usedCount) == [1])
        }
        #expect(notices.of(.repeatedConstruction).count == 1)
        #expect(notices.of(.repeatedConstruction).first?.line?.file.hasSuffix("OwnerBehaviours.swift") == true)
    }
}

/// Hands on a different model, which only its child holds, and one of several things.
@Component
private struct Switching {
    let scene: Scene
    let things: [Thing]
    let index: Subject<Int>

    func update(_ context: inout ComponentContext) throws {
        let index = index.value
        context.place(
            SensorView(sensor: try scene.store.model(Sensor.self, id: "s\(index % 5)"), journal: scene.journal))
        context.place(ThingView(thing: things[index % things.count], journal: scene.journal))
    }
}

@Component
private struct SensorView {
    @ObservedObject var sensor: Model<Sensor>
    let journal: Journal

    func update(_ context: inout ComponentContext) { journal.add("shows \(sensor.id)") }
}

@Component
private struct ThingView {
    @ObservedObject var thing: Thing
    let journal: Journal

    func update(_ context: inout ComponentContext) { journal.add("shows \(thing.number)") }
}

/// Shows the current session: an object that only the subject's value holds.
@Component
private struct LoggingIn {
    let scene: Scene
    let session: Subject<Thing?>
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        scene.journal.add("tick \(tick.value)")
        if let thing = session.value { context.place(Borrower(thing: thing, journal: scene.journal)) }
    }
}

/// Hands an object to an owner that updates itself.
@Component
private struct Handing {
    let scene: Scene
    let thing: Subject<Thing?>
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        if let thing = thing.value { context.place(TickingOwner(scene: scene, tick: tick, thing: thing)) }
    }
}

@Component
private struct TickingOwner {
    let journal: Journal
    let tick: Subject<Int>
    @StateObject var thing: Thing

    init(scene: Scene, tick: Subject<Int>, thing: Thing) {
        journal = scene.journal
        self.tick = tick
        _thing = StateObject(owning: thing)
    }

    func update(_ context: inout ComponentContext) { journal.add("\(tick.value) \(thing.number)") }
}

@Component
private struct EagerParent {
    let scene: Scene
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        _ = tick.value
        context.place(EagerOwner(journal: scene.journal, thing: Thing(scene.journal, scene.numbers)))
    }
}
