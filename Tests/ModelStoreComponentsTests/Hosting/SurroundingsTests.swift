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

private struct Theme: Equatable, Sendable {
    var name = "own"
    var scale = 2.0
}

private enum ThemeKey: EnvironmentKey {
    static let defaultValue = Theme()
}

extension EnvironmentValues {
    fileprivate var theme: Theme {
        get { self[ThemeKey.self] }
        set { self[ThemeKey.self] = newValue }
    }
}

@Component
private struct Themed {
    let journal: Journal
    let name: Subject<String>
    let isWhole: Bool

    func update(_ context: inout ComponentContext) {
        let theme = Theme(name: name.value)
        context.place(Partial(journal: journal, isWhole: isWhole)) { $0[\.theme] = theme }
    }
}

/// Overrides a part of what is handed down, or all of it.
@Component
private struct Partial: Equatable {
    let journal: Journal
    let isWhole: Bool

    static func == (left: Partial, right: Partial) -> Bool { left.isWhole == right.isWhole }

    func update(_ context: inout ComponentContext) {
        journal.add("partial")
        context.place(ThemeReader(journal: journal)) { [isWhole] in
            if isWhole { $0[\.theme] = Theme(scale: 1) } else { $0[\.theme.scale] = 1 }
        }
    }
}

@Component
private struct ThemeReader: Equatable {
    let journal: Journal
    @Environment(\.theme) var theme

    static func == (left: ThemeReader, right: ThemeReader) -> Bool { true }

    func update(_ context: inout ComponentContext) { journal.add("\(theme.scale) \(theme.name)") }
}

@Suite(.timeLimit(.minutes(20))) struct SurroundingsTests {
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

    @Test func `an override of a part follows the rest, one of the whole nothing`() async throws {
        for (isWhole, updates) in [
            (false, ["partial", "1.0 dark", "partial", "1.0 light"]), (true, ["partial", "1.0 own"]),
        ] {
            let name = Subject("dark")
            try await Scene.run { scene in
                let journal = scene.journal
                let host = try await scene.scope.host { Themed(journal: journal, name: name, isWhole: isWhole) }
                name.send("light")
                try await host.settle()
                #expect(journal.all == updates)
            }
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
