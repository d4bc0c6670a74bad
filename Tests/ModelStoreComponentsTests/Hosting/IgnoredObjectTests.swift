import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// Owns the first thing that its parent hands in. The memberwise initializer takes the thing as an expression.
@Component
private struct Owner {
    let journal: Journal
    @StateObject var thing: Thing

    func update(_ context: inout ComponentContext) { journal.add("owner \(thing.number)") }
}

/// Hands an owner a thing with each update.
@Component
private struct Parent {
    enum Way: Sendable {
        /// A new thing, created in the update.
        case new
        /// An expression that creates a thing.
        case expression
        /// The same thing every time.
        case same(Thing)
    }

    let scene: Scene
    let tick: Subject<Int>
    let way: Way

    func update(_ context: inout ComponentContext) {
        let (journal, numbers) = (scene.journal, scene.numbers)
        for id in 0..<tick.value % 10 {
            switch way {
            case .new:
                let thing = Thing(journal, numbers)
                context.place(Owner(journal: journal, thing: thing), id: id)
            case .expression:
                context.place(Owner(journal: journal, thing: Thing(journal, numbers)), id: id)
            case .same(let thing):
                context.place(Owner(journal: journal, thing: thing), id: id)
            }
        }
    }
}

/// Follows a thing that its initializer takes.
@Component
private struct Follower {
    let journal: Journal
    @ObservedObject var thing: Thing

    init(_ journal: Journal, _ thing: Thing) {
        self.journal = journal
        _thing = ObservedObject(initialValue: thing)
    }

    func update(_ context: inout ComponentContext) { journal.add("\(thing.name)") }
}

/// A lazy owner that receives objects from its parent: `@StateObject var thing: Thing`.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct IgnoredObjectTests {
    private static var checking: OwnershipOptions {
        var options = OwnershipOptions()
        options.checksIgnoredObjects = true
        return options
    }

    /// Updates the parent of several owners several times, and returns the log of each update.
    private func update(
        _ scene: Scene, _ way: Parent.Way, owners: Int = 1, updates: Int = 4
    ) async throws -> [[String]] {
        let tick = Subject(owners)
        let host = try await scene.scope.host { Parent(scene: scene, tick: tick, way: way) }
        var logs = [scene.journal.take()]
        for number in 1..<updates {
            tick.send(number * 10 + owners)
            try await host.settle()
            logs.append(scene.journal.take())
        }
        return logs
    }

    @Test func `an owner keeps the first object, and evaluates no other expression`() async throws {
        let notices = try await Scene.run { scene in
            let logs = try await update(scene, .new)
            #expect(
                logs == [
                    ["created 1", "owner 1"], ["created 2"], ["created 3", "destroyed 2"],
                    ["created 4", "destroyed 3"],
                ])
        }
        #expect(notices.of(.ignoredObject).isEmpty)
    }

    @Test func `a check reports an object that is handed in and ignored, once, with the line`() async throws {
        let notices = try await Scene.run(options: Self.checking) { scene in
            let logs = try await update(scene, .new)
            // An owner is updated once for the check, although its fields are the same.
            #expect(
                logs == [
                    ["created 1", "owner 1"], ["created 2", "owner 1"], ["created 3", "destroyed 2"],
                    ["created 4", "destroyed 3"],
                ])
            #expect(scene.store.ownership.report().constructions.map(\.constructedCount) == [2])
        }
        #expect(notices.all.map(\.code) == [.ignoredObject])
        let told = try #require(notices.all.first)
        #expect(told.line?.file.hasSuffix("IgnoredObjectTests.swift") == true && told.line?.line == 10)
        #expect(told.message.contains("use @ObservedObject to follow the object"))
    }

    @Test func `a check evaluates an expression that makes an object once for its line, and reports nothing`()
        async throws
    {
        let notices = try await Scene.run(options: Self.checking) { scene in
            let logs = try await update(scene, .expression, owners: 2, updates: 5)
            #expect(logs[0] == ["created 1", "owner 1", "created 2", "owner 2"])
            // The check evaluates only the first owner's expression, because both owners share one line.
            #expect(logs[1] == ["created 3", "destroyed 3", "owner 1", "owner 2"])
            #expect(logs[2...].allSatisfy { $0.isEmpty })
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `an expression that makes an object is never evaluated again without a check`() async throws {
        let notices = try await Scene.run { scene in
            let logs = try await update(scene, .expression)
            #expect(logs == [["created 1", "owner 1"], [], [], []])
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `a check is silent about the object that the owner has`() async throws {
        let notices = try await Scene.run(options: Self.checking) { scene in
            let thing = Thing(scene.journal, scene.numbers)
            let logs = try await update(scene, .same(thing))
            #expect(logs == [["created 1", "owner 1"], ["owner 1"], [], []])
        }
        #expect(notices.of(.ignoredObject).isEmpty)
    }

    @Test func `an observed object is set by the wrapper's initial value`() async throws {
        try await Scene.run { scene in
            let thing = Thing(scene.journal, scene.numbers)
            let host = try await scene.scope.host { Follower(scene.journal, thing) }
            thing.name = "other"
            try await host.settle()
            #expect(scene.journal.take() == ["created 1", "thing", "other"])
        }
    }
}
