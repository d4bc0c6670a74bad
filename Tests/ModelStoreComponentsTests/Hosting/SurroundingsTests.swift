import ModelStore
import ModelStoreComponents
import TestSupport
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

/// Always equal to its previous value, so updates of its parent do not concern it.
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

/// Overrides some of the inherited values, or all of them.
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

/// An object that equals others with the same name.
private final class Station: Equatable, Sendable {
    let name: String
    let number: Int

    init(_ name: String, _ number: Int) {
        self.name = name
        self.number = number
    }

    static func == (left: Station, right: Station) -> Bool { left.name == right.name }
}

/// Its own scope provides a station once the number is positive.
@Component
private struct Providing {
    let journal: Journal
    let number: Subject<Int>

    func update(_ context: inout ComponentContext) throws {
        if number.value > 0 {
            let scope = try context.scope()
            try scope.provide(Station("own", number.value))
            try scope.setEnvironment(\.scale, 4)
        }
        context.place(StationReader(journal: journal))
        context.place(Middle(journal: journal)) { $0[\.scale] = $0[\.scale] * 2 }
    }
}

@Component
private struct StationReader: Equatable {
    let journal: Journal
    @EnvironmentObject var station: Station

    static func == (left: StationReader, right: StationReader) -> Bool { true }

    func update(_ context: inout ComponentContext) { journal.add("\(station.name) \(station.number)") }
}

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SurroundingsTests {
    @Test func `what a component's own scope provides reaches those below, whenever it does`() async throws {
        let number = Subject(0)
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Providing(journal: journal, number: number) }
            #expect(journal.take() == ["middle", "inner 4.0"])
            number.send(1)
            try await host.settle()
            #expect(Set(journal.take()) == ["own 1", "middle", "inner 16.0"])
            number.send(2)
            try await host.settle()
            #expect(journal.take() == ["own 2"])
        }
        #expect(notices.all.map(\.code) == [.missingObject])
    }

    @Test func `an object that is provided after an equal one is the one that is found`() async throws {
        let first = Station("hall", 1)
        let second = Station("hall", 2)
        try await Scene.run { scene in
            let journal = scene.journal
            try scene.scope.provide(first)
            let host = try await scene.scope.host { StationReader(journal: journal) }
            try scene.scope.provide(second)
            #expect(try scene.scope.environmentObject(Station.self) === second)
            try await host.settle()
            #expect(journal.take() == ["hall 1", "hall 2"])
        }
    }

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
