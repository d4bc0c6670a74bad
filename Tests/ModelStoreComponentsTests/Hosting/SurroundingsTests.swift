import ModelStore
import ModelStoreComponents
import Testing

@Component
private struct Outer {
    let journal: Journal
    let scale: Subject<Double>

    func update(_ context: inout ComponentContext) {
        let scale = scale.value
        context.place(Middle(journal: journal)) { $0[\.scale] = scale }
    }
}

/// Equal to the last: its parent's updates do not concern it.
@Component
private struct Middle: Equatable {
    let journal: Journal

    static func == (left: Middle, right: Middle) -> Bool { true }

    func update(_ context: inout ComponentContext) {
        journal.add("middle")
        context.place(Inner(journal: journal)) { $0[\.scale] = $0[\.scale] * 2 }
    }
}

@Component
private struct Inner: Equatable {
    let journal: Journal
    @Environment(\.scale) var scale

    static func == (left: Inner, right: Inner) -> Bool { true }

    func update(_ context: inout ComponentContext) { journal.add("inner \(scale)") }
}

@Suite(.timeLimit(.minutes(10))) struct SurroundingsTests {
    @Test func `an override that is made of what is handed down follows it`() async throws {
        let scale = Subject(1.5)
        try await Scene.run { scene in
            let host = try await scene.scope.host { Outer(journal: scene.journal, scale: scale) }
            #expect(scene.journal.take() == ["middle", "inner 3.0"])
            scale.send(4)
            try await host.settle()
            #expect(scene.journal.take() == ["middle", "inner 8.0"])
        }
    }

    @Test func `an override that is made of what a scope hands down follows it`() async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host { Middle(journal: scene.journal) }
            #expect(scene.journal.take() == ["middle", "inner 2.0"])
            try scene.scope.setEnvironment(\.scale, 4)
            try await host.settle()
            #expect(scene.journal.take() == ["middle", "inner 8.0"])
        }
    }
}
