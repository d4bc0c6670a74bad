import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private enum Load: PreferenceKey {
    static let defaultValue: [String] = []
    static func reduce(value: inout [String], nextValue: () -> [String]) { value += nextValue() }
}

private struct Refusal: Error {}

/// Scopes offer the same features as components.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ScopeFormTests {
    private let journal = Journal()

    @Test func `preferences flow up to scopes in the order of opening, and go with the scopes that give them`()
        async throws
    {
        let registry = OwnershipRegistry()
        try await registry.withScope("app") { app in
            let (first, second) = (try app.child("first"), try app.child("second"))
            let inner = try first.child("inner")
            try app.onPreferenceChange(Load.self) { [journal] in journal.add("\($0)") }
            await journal.until { $0 == ["[]"] }
            try second.setPreference(Load.self, ["second"])
            try inner.setPreference(Load.self, ["inner"])
            try first.setPreference(Load.self, ["first"])
            try app.setPreference(Load.self, ["app"])
            #expect(try app.preference(Load.self) == ["app", "first", "inner", "second"])
            #expect(
                try first.preference(Load.self) == ["first", "inner"] && second.preference(Load.self) == ["second"])
            await journal.until { $0.last == #"["app", "first", "inner", "second"]"# }
            try inner.setPreference(Load.self, ["other"])
            #expect(try app.preference(Load.self) == ["app", "first", "other", "second"])
            first.close()
            #expect(try app.preference(Load.self) == ["app", "second"])
            await journal.until { $0.last == #"["app", "second"]"# }
            // This value equals the previous one.
            let count = journal.all.count
            try second.setPreference(Load.self, ["second"])
            try second.setPreference(Load.self, ["third"])
            await journal.until { $0.last == #"["app", "third"]"# }
            #expect(journal.all.count == count + 1)
            #expect(throws: StoreError.self) { try inner.setPreference(Load.self, ["late"]) }
            #expect(try app.preference(Load.self) == ["app", "third"])
        }
        #expect(registry.report().isEmpty)
    }

    @Test func `what runs at the appearance runs once for the life of each scope, and again where it has thrown`()
        throws
    {
        let registry = OwnershipRegistry()
        for name in ["first", "second"] {
            let scope = registry.scope(name)
            for number in 0..<3 {
                try? scope.onAppear {
                    journal.add("\(name) \(number)")
                    if number == 0 { throw Refusal() }
                }
                try scope.onAppear("\(number / 2)") { journal.add("\(name) turn \(number)") }
            }
            scope.close()
            #expect(throws: StoreError.self) { try scope.onAppear {} }
            #expect(
                journal.take() == ["\(name) 0", "\(name) turn 0", "\(name) 1", "\(name) turn 2"])
        }
    }
}
