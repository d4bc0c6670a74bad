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
        _thing = StateObject(wrappedValue: Thing(scene.journal, scene.numbers))
    }

    func update(_ context: inout ComponentContext) {
        scene.journal.add("holder")
        if use == .update { found.send(thing) }
        if use == .appearance { context.onAppear { found.send(thing) } }
    }
}

/// `@StateObject` with an expression.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LazyObjectTests {
    private let found = Subject<Thing?>(nil)

    @Test func `an object that is never used is never made`() async throws {
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
