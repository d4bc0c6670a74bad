import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// Owns a thing that it creates on first use, and reads none of its properties.
@Component
private struct LazyHolder {
    enum Use {
        case never, update, appearance
    }

    let scene: Scene
    let use: Use
    let found: Subject<Thing?>
    @StateObject var thing: Thing

    init(scene: Scene, use: Use, found: Subject<Thing?>) {
        self.scene = scene
        self.use = use
        self.found = found
        _thing = StateObject(wrappedValue: Thing(scene.journal, scene.numbers), .lazy)
    }

    func update(_ context: inout ComponentContext) {
        scene.journal.add("holder")
        if use == .update { found.send(thing) }
        if use == .appearance { context.onAppear { found.send(thing) } }
    }
}

/// Reads none of its objects.
@Component
private struct Silent {
    let journal: Journal
    let number: Int
    @StateObject var thing: Thing
    @StateObject(.lazy) var other = Thing(Journal(), Numbers())

    init(_ journal: Journal, _ numbers: Numbers, _ number: Int) {
        self.journal = journal
        self.number = number
        _thing = StateObject(wrappedValue: Thing(journal, numbers))
    }

    func update(_ context: inout ComponentContext) { journal.add("silent \(number)") }
}

/// `@StateObject` with an expression.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LazyObjectTests {
    private let found = Subject<Thing?>(nil)

    @Test func `an object is made once for its place, before the first update, even if nothing reads it`() async throws
    {
        try await Scene.run { scene in
            let journal = scene.journal
            try await scene.scope.withChild("part") { part in
                let host = try await part.host { Silent(journal, scene.numbers, 1) }
                #expect(journal.take() == ["created 1", "silent 1"])
                try await host.place { Silent(journal, scene.numbers, 2) }
                #expect(journal.take() == ["silent 2"])
                #expect(scene.store.ownership.report().objects.map { $0.pins.map(\.kind) } == [[.owner]])
            }
            #expect(journal.take() == ["destroyed 1"])
        }
    }

    @Test func `a lazy object that is never used is never made`() async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host { LazyHolder(scene: scene, use: .never, found: found) }
            try await host.settle()
            #expect(scene.journal.take() == ["holder"])
            #expect(scene.store.ownership.report().objects.isEmpty)
        }
    }

    @Test func `what its object sends updates the component from the first use on, in an update`() async throws {
        try await expectUpdates(.update)
    }

    @Test func `what its object sends updates the component from the first use on, after an update`() async throws {
        try await expectUpdates(.appearance)
    }

    private func expectUpdates(_ use: LazyHolder.Use) async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host { LazyHolder(scene: scene, use: use, found: found) }
            #expect(Set(scene.journal.take()) == ["holder", "created 1"])
            let thing = try #require(found.value)
            for _ in 0..<3 {
                thing.objectWillChange.send()
                try await host.settle()
                #expect(scene.journal.take() == ["holder"])
            }
            found.send(nil)
        }
    }
}
