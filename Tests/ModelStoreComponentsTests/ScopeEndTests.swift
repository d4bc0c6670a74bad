import ModelStore
import ModelStoreComponents
import StoreRuntime
import Testing

/// Scopes without a parent that end because nobody has them any more.
@Suite(.timeLimit(.minutes(10))) struct ScopeEndTests {
    private let journal = Journal()

    @Test func `a root that is dropped with an open child is open no more`() async throws {
        let registry = OwnershipRegistry()
        var root: Scope? = registry.scope("root")
        let child = try #require(root).child("child")
        #expect(registry.report().scopes.map(\.path) == ["root", "root/child"])
        root = nil
        #expect(child.isClosed)
        await child.closed()
        #expect(registry.report().isEmpty)
    }

    @Test func `a root that is dropped with a running task ends with that, and its leaks are told then`() async throws {
        let notices = Notices()
        var options = OwnershipOptions()
        options.leakDelay = .zero
        options.onNotice = { notices.add($0) }
        let registry = OwnershipRegistry(options: options)
        let thing = Thing(journal, Numbers())
        var root: Scope? = registry.scope("root")
        try #require(root).own(thing)
        let child = try #require(root).child("child")
        let task = try child.task { [journal] in await journal.until { $0.contains("go on") } }
        root = nil
        // Its task has yet to end.
        #expect(registry.report().scopes.map(\.path) == ["root", "root/child"])
        #expect(child.isClosed && notices.all.isEmpty)
        journal.add("go on")
        await task.value
        #expect(registry.report().scopes.isEmpty)
        #expect(notices.all.map(\.code) == [.leaked] && notices.all.first?.scope == "root")
        withExtendedLifetime(thing) {}
    }
}
