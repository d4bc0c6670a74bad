import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private enum Titles: PreferenceKey {
    static let defaultValue: [String] = []
    static func reduce(value: inout [String], nextValue: () -> [String]) { value += nextValue() }
}

private enum Weight: PreferenceKey {
    static let defaultValue = 0
    static func reduce(value: inout Int, nextValue: () -> Int) { value += nextValue() }
}

@Component
private struct Collecting {
    let journal: Journal
    let asksForWeight: Subject<Bool>

    func update(_ context: inout ComponentContext) {
        let journal = journal
        if asksForWeight.value {
            context.onPreferenceChange(Weight.self) { journal.add("weight \($0)") }
        } else {
            context.onPreferenceChange(Titles.self) { journal.add("titles \($0)") }
        }
        context.place(Box(title: "a", weight: 2))
        context.place(Box(title: "b", weight: 3))
    }
}

@Component
private struct Box {
    let title: String
    let weight: Int

    func update(_ context: inout ComponentContext) {
        context.preference(Titles.self, [title])
        context.preference(Weight.self, weight)
    }
}

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct PreferenceTests {
    @Test func `who asks for another value than before is told it`() async throws {
        let asksForWeight = Subject(false)
        try await Scene.run { scene in
            let host = try await scene.scope.host { Collecting(journal: scene.journal, asksForWeight: asksForWeight) }
            #expect(scene.journal.take() == [#"titles ["a", "b"]"#])
            asksForWeight.send(true)
            try await host.settle()
            #expect(scene.journal.take() == ["weight 5"])
            asksForWeight.send(false)
            try await host.settle()
            #expect(scene.journal.take() == [#"titles ["a", "b"]"#])
        }
    }
}
