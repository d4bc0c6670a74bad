import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// Places a reader with an object that it holds or creates inline.
@Component
private struct Placing {
    let journal: Journal
    let numbers: Numbers
    let isInPlace: Bool
    let tick: Subject<Int>
    @StateObject var own: Thing

    init(_ scene: Scene, isInPlace: Bool, tick: Subject<Int>) {
        let (journal, numbers) = (scene.journal, scene.numbers)
        (self.journal, self.numbers, self.isInPlace, self.tick) = (journal, numbers, isInPlace, tick)
        _own = StateObject(wrappedValue: Thing(journal, numbers), .lazy)
    }

    func update(_ context: inout ComponentContext) {
        journal.add("tick \(tick.value)")
        if tick.value < 9 {
            context.place(Reading(journal: journal)) { $0.provide(isInPlace ? Thing(journal, numbers) : own) }
        } else {
            context.place(Reading(journal: journal))
        }
    }
}

@Component
private struct Reading {
    let journal: Journal
    @EnvironmentObject var thing: Thing

    func update(_ context: inout ComponentContext) { journal.add("reads \(thing.number)") }
}

/// Provides an object that the program holds.
@Component
private struct Sharing {
    let journal: Journal
    let thing: Thing

    func update(_ context: inout ComponentContext) {
        context.place(Reading(journal: journal)) { $0.provide(thing) }
    }
}

/// Which objects are provided, and for how long.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ProvidingTests {
    private let registry = OwnershipRegistry()
    private let journal = Journal()
    private let numbers = Numbers()

    @Test func `an object that is provided takes the place of the one before, which goes`() async throws {
        try await registry.withScope("app") { scope in
            for number in 1...100 {
                try scope.provide(Thing(journal, numbers))
                #expect(try scope.environmentObject(Thing.self).number == number)
            }
            #expect(journal.count("destroyed 99") == 1 && journal.count("destroyed 100") == 0)
            let last = try scope.environmentObject(Thing.self)
            for _ in 0..<100 { try scope.provide(last) }
            #expect(registry.metrics.pinCount == 1)
        }
        #expect(journal.count("destroyed 100") == 1 && registry.metrics.pinCount == 0)
    }

    @Test
    func `what a child's handlers use of its ancestors is there, also when the root goes with its last reference`()
        throws
    {
        var root: Scope? = registry.scope("root")
        try root?.provide(Thing(journal, numbers))
        try root?.setEnvironment(\.level, 7)
        let child = try root?.child("child").child("grandchild")
        try child?.onClose { [weak child, journal] in
            guard let child else { return }
            journal.add("\(try child.environmentObject(Thing.self).number) \(child.environment(\.level))")
        }
        #expect(journal.take() == ["created 1"])
        root = nil
        #expect(journal.take() == ["1 7", "destroyed 1"])
        #expect(registry.report().scopes.isEmpty)
    }

    @Test func `an object that a component is placed with is borrowed by its place`() async throws {
        let tick = Subject(0)
        let notices = try await Scene.run { scene in
            let host = try await scene.scope.host { Placing(scene, isInPlace: false, tick: tick) }
            let report = scene.store.ownership.report()
            let own = try #require(report.objects.first { $0.type.hasSuffix("Thing") })
            #expect(own.pins.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.borrower, .owner])
            #expect(own.pins.contains { $0.kind == .borrower && $0.line.file.hasSuffix("ProvidingTests.swift") })
            for number in [1, 2, 9] {
                tick.send(number)
                try await host.settle()
            }
            // The object is no longer provided.
            #expect(scene.store.ownership.report().objects.first?.pins.map(\.kind) == [.owner])
        }
        #expect(notices.all.map(\.code) == [.missingObject])
    }

    @Test func `an object of the program that trees provide is no leak after the last of them`() async throws {
        let thing = Thing(journal, numbers)
        let notices = try await Scene.run { scene in
            for number in 1...2 {
                let tab = try scene.scope.child("tab \(number)")
                _ = try await tab.host { Sharing(journal: scene.journal, thing: thing) }
                tab.close()
                await tab.waitUntilClosed()
                #expect(scene.store.ownership.leaks().isEmpty)
            }
            #expect(scene.journal.all == ["reads 1", "reads 1"])
        }
        #expect(notices.all.isEmpty, "\(notices.all)")
        withExtendedLifetime(thing) {}
    }

    @Test func `an object that is made where it is provided is told of`() async throws {
        let tick = Subject(0)
        let notices = try await Scene.run { scene in
            let host = try await scene.scope.host { Placing(scene, isInPlace: true, tick: tick) }
            for number in 1...4 {
                tick.send(number)
                try await host.settle()
            }
            #expect(scene.journal.all.suffix(4) == ["tick 4", "created 5", "destroyed 4", "reads 5"])
        }
        #expect(notices.all.map(\.code) == [.unowned, .repeatedConstruction])
        #expect(notices.all.first?.line?.file.hasSuffix("ProvidingTests.swift") == true)
    }
}

private struct LevelKey: EnvironmentKey {
    static let defaultValue = 0
}

extension EnvironmentValues {
    fileprivate var level: Int {
        get { self[LevelKey.self] }
        set { self[LevelKey.self] = newValue }
    }
}
