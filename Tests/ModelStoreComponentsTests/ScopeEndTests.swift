import ModelStore
import ModelStoreComponents
import ModelStoreTesting
import StoreRuntime
import TestSupport
import Testing

/// Places a child, which places none. Both note their end and own a thing.
@Component
private struct Nested {
    let scene: Scene
    let depth: Int
    @StateObject var thing: Thing

    init(_ scene: Scene, depth: Int) {
        self.scene = scene
        self.depth = depth
        _thing = StateObject(wrappedValue: Thing(scene.journal, scene.numbers))
    }

    func update(_ context: inout ComponentContext) {
        let (journal, thing, depth) = (scene.journal, thing, depth)
        context.onClose { journal.add("\(depth) closes with \(thing.number)") }
        if depth < 2 { context.place(Nested(scene, depth: depth + 1)) }
    }
}

/// Places two children, which note their ends.
@Component
private struct PairParent {
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        context.place(PairChild(journal: journal, name: "first"))
        context.place(PairChild(journal: journal, name: "second"))
    }
}

@Component
private struct PairChild {
    let journal: Journal
    let name: String

    func update(_ context: inout ComponentContext) {
        let (journal, name) = (journal, name)
        context.onClose { journal.add("\(name) closes") }
    }
}

/// The ends of trees, and of root scopes that end with their last reference.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ScopeEndTests {
    private let journal = Journal()

    @Test func `a tree ends with the scope that hosts it, children first, each place with what it owns`() async throws {
        try await Scene.run { scene in
            let journal = scene.journal
            let scope = try scene.scope.child("part")
            try scope.onClose { journal.add("scope closes") }
            _ = try await scope.host { Nested(scene, depth: 0) }
            #expect(journal.take() == ["created 1", "created 2", "created 3"])
            scope.close()
            await scope.waitUntilClosed()
            // The scope's handlers run at once, and the places end on the host. Neither waits for the other.
            #expect(journal.count("scope closes") == 1)
            #expect(
                journal.all.filter { $0 != "scope closes" } == [
                    "2 closes with 3", "destroyed 3", "1 closes with 2", "destroyed 2", "0 closes with 1",
                    "destroyed 1",
                ])
            #expect(scene.store.ownership.report().scopes.map(\.path) == ["app"])
        }
    }

    @Test func `who waits for an open scope's end can be cancelled, and waits for a closing one's in any case`()
        async throws
    {
        let registry = OwnershipRegistry()
        let scope = registry.scope("part")
        let early = Task { [journal] in
            await scope.waitUntilClosed()
            journal.add("cancelled")
        }
        early.cancel()
        await early.value
        #expect(!scope.isClosed)
        try scope.task { [journal] in await journal.until { $0.contains("go on") } }
        scope.close()
        let late = Task { [journal] in
            await scope.waitUntilClosed()
            journal.add("closed")
        }
        late.cancel()
        journal.add("go on")
        await late.value
        #expect(journal.all == ["cancelled", "go on", "closed"])
    }

    @Test func `what a block begins and leaves behind waits for the end, the block itself and its tasks do not`()
        async throws
    {
        let registry = OwnershipRegistry()
        let left = try await registry.withScope("part") { [journal] scope in
            await scope.waitUntilClosed()
            let task = try scope.task { await scope.waitUntilClosed() }
            await task.value
            let left = Task {
                #expect(Scope.current === scope)
                journal.add("waits")
                await scope.waitUntilClosed()
                journal.add("closed \(scope.isClosed)")
            }
            await journal.until { $0.contains("waits") }
            // The child task waits only until it is cancelled. Without the cancellation, the group would never end.
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await scope.waitUntilClosed() }
                group.cancelAll()
            }
            journal.add("block ends")
            return left
        }
        await left.value
        #expect(journal.all == ["waits", "block ends", "closed true"])
    }

    @Test func `a root that is dropped with an open child is open no more`() async throws {
        let registry = OwnershipRegistry()
        var root: Scope? = registry.scope("root")
        let child = try #require(root).child("child")
        #expect(registry.report().scopes.map(\.path) == ["root", "root/child"])
        root = nil
        #expect(child.isClosed)
        await child.waitUntilClosed()
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
        #expect(try #require(root).own(thing) === thing)
        let child = try #require(root).child("child")
        let task = try child.task { [journal] in await journal.until { $0.contains("go on") } }
        root = nil
        // The root's task is still running.
        #expect(registry.report().scopes.map(\.path) == ["root", "root/child"])
        #expect(child.isClosed && notices.all.isEmpty)
        journal.add("go on")
        await task.value
        #expect(registry.report().scopes.isEmpty)
        #expect(notices.all.map(\.code) == [.leaked] && notices.all.first?.scope == "root")
        withExtendedLifetime(thing) {}
    }

    @Test func `siblings end in the reverse of their order`() async throws {
        try await Scene.run { scene in
            let scope = try scene.scope.child("part")
            _ = try await scope.host { PairParent(journal: scene.journal) }
            scope.close()
            await scope.waitUntilClosed()
            #expect(scene.journal.take() == ["second closes", "first closes"])
        }
    }

    @Test func `a leak is told after its own delay, not with an earlier leak`() async throws {
        let (clock, notices) = (TestClock(), Notices())
        var options = OwnershipOptions(clock: clock)
        options.leakDelay = .seconds(10)
        options.onNotice = { notices.add($0) }
        let registry = OwnershipRegistry(options: options)
        let things = [Thing(journal, Numbers()), Thing(journal, Numbers())]
        for (number, thing) in things.enumerated() {
            let scope = registry.scope(["first", "second"][number])
            // The registry reports the leaks of one line once.
            try scope.own(thing, line: UInt(number))
            scope.close()
            try await clock.untilSleeping()
            clock.advance(by: .seconds(6))
        }
        while notices.all.isEmpty { try await nextTurn() }
        try await clock.untilSleeping()
        #expect(notices.all.map(\.scope) == ["first"])
        clock.advance(by: .seconds(6))
        while notices.all.count < 2 { try await nextTurn() }
        #expect(notices.all.map(\.scope) == ["first", "second"])
        withExtendedLifetime((registry, things)) {}
    }
}
