import Foundation
import ModelStore
import ModelStoreComponents
import ModelStoreTesting
import Synchronization
import TestSupport
import Testing

private struct Refusal: Error {}

private enum Topic: PreferenceKey {
    static let defaultValue: [String] = []
    static func reduce(value: inout [String], nextValue: () -> [String]) { value += nextValue() }
}

@Component
private struct Living {
    let journal: Journal
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        let journal = journal
        journal.add("parent")
        context.onAppear { journal.add("parent appears") }
        context.onClose { journal.add("parent closes") }
        if tick.value < 3 { context.place(LivingChild(journal: journal, tick: tick)) }
    }
}

@Component
private struct LivingChild {
    let journal: Journal
    let tick: Subject<Int>

    func update(_ context: inout ComponentContext) {
        let journal = journal
        journal.add("child \(tick.value)")
        context.onAppear { journal.add("child appears") }
        context.onClose { journal.add("child closes") }
        context.task {
            journal.add("task runs")
            await untilCancelled()
            journal.add("task is cancelled")
        }
        context.task(id: tick.value / 2) {
            journal.add("keyed task runs")
            await untilCancelled()
        }
    }
}

@Component
private struct Working {
    let numbers: Subject<[Int]>
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        for number in numbers.value {
            context.task { [journal] in
                journal.add("begins \(number)")
                await untilCancelled()
                journal.add("ends \(number)")
            }
        }
    }
}

/// Owns objects that its own task and its child's task use. Both tasks take time to end.
@Component
private struct SlowOwner {
    let journal: Journal
    @StateObject var thing: Thing

    init(scene: Scene, journal: Journal) {
        self.journal = journal
        _thing = StateObject(wrappedValue: Thing(journal, scene.numbers))
    }

    func update(_ context: inout ComponentContext) {
        context.onClose { [journal] in journal.add("closes") }
        context.task(run("", thing))
        context.place(SlowChild(body: run("child ", thing)))
    }

    private func run(_ name: String, _ thing: Thing) -> @Sendable () async -> Void {
        { [journal] in
            journal.add("\(name)begins")
            await untilCancelled()
            journal.add("\(name)is cancelled")
            await journal.until { $0.contains("go on") }
            _ = thing.touch()
        }
    }
}

@Component
private struct SlowChild {
    let body: @Sendable () async -> Void

    func update(_ context: inout ComponentContext) { context.task(body) }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct ScopeBehaviours {
    @Test func `13 teardown order`() async throws {
        let journal = Journal()
        let notices = try await Scene.run { scene in
            let scope = try scene.scope.child("outer")
            let first = try scope.child("first")
            let second = try scope.child("second")
            let started = Subject(0)
            for (name, scope) in [("outer", scope), ("first", first), ("second", second)] {
                _ = try scope.stateObject { Noting(journal, "\(name) older") }
                _ = try scope.stateObject("newer") { Noting(journal, "\(name) newer") }
                try scope.onClose { journal.add("\(name) closes") }
                try scope.task {
                    await withTaskCancellationHandler {
                        started.update { $0 += 1 }
                        await untilCancelled()
                    } onCancel: {
                        journal.add("\(name) cancelled")
                    }
                }
            }
            #expect(
                scene.store.ownership.report().scopes.map(\.path) == [
                    "app", "app/outer", "app/outer/first", "app/outer/second",
                ])
            for await count in started.values where count == 3 { break }
            scope.close()
            await scope.waitUntilClosed()
        }
        #expect(
            journal.all
                == ["second", "first", "outer"].flatMap { name in
                    ["\(name) cancelled", "\(name) closes", "\(name) newer gone", "\(name) older gone"]
                })
        #expect(notices.all.isEmpty)
    }

    @Test func `13 a handler that throws or re-enters harms nobody`() async throws {
        let journal = Journal()
        let notices = try await Scene.run { scene in
            let scope = try scene.scope.child("part")
            try scope.onClose { journal.add("last") }
            try scope.onClose { throw Refusal() }
            try scope.onClose { [unowned scope] in
                scope.close()
                #expect(scope.isClosed)
                #expect(throws: StoreError.self) { try scope.onClose {} }
                #expect(throws: StoreError.self) { try scope.child("late") }
                journal.add("re-entered")
            }
            scope.close()
            scope.close()
            await scope.waitUntilClosed()
            #expect(throws: StoreError.self) { try scope.task {} }
            #expect(throws: StoreError.self) { try scope.own(Noting(journal, "late")) }
        }
        #expect(journal.all == ["re-entered", "last", "late gone"])
        #expect(notices.all.map(\.code) == [.handlerFailed])
        #expect(notices.all.first?.error is Refusal)
    }

    @Test func `13 a handler that closes the parent has it end after the child`() async throws {
        let journal = Journal()
        let notices = try await Scene.run { scene in
            let parent = try scene.scope.child("parent")
            let child = try parent.child("child")
            try parent.onClose { journal.add("parent closes") }
            for (name, scope) in [("parent", parent), ("child", child)] {
                _ = try scope.stateObject { Noting(journal, "\(name)'s object") }
            }
            try child.onClose { journal.add("child's older handler") }
            try child.onClose { [unowned parent] in
                journal.add("child's newer handler")
                parent.close()
            }
            child.close()
            await parent.waitUntilClosed()
        }
        #expect(
            journal.all == [
                "child's newer handler", "child's older handler", "child's object gone", "parent closes",
                "parent's object gone",
            ])
        #expect(notices.all.isEmpty)
    }

    @Test func `13 a parent that is closed while another thread closes the child waits for the child`() async throws {
        let journal = Journal()
        _ = try await Scene.run { scene in
            let parent = try scene.scope.child("parent")
            let child = try parent.child("child")
            let goOn = DispatchSemaphore(value: 0)
            try parent.onClose { journal.add("parent closes") }
            try parent.provide(Noting(journal, "parent's object"))
            try child.onClose { [unowned child] in
                #expect(throws: Never.self) { try child.environmentObject(Noting.self) }
                journal.add("child's older handler")
            }
            try child.onClose {
                journal.add("child's newer handler")
                goOn.wait()
            }
            Thread.detachNewThread { child.close() }
            await journal.until { $0.contains("child's newer handler") }
            parent.close()
            #expect(parent.isClosed && journal.all == ["child's newer handler"])
            goOn.signal()
            await parent.waitUntilClosed()
        }
        #expect(
            journal.all == [
                "child's newer handler", "child's older handler", "parent closes", "parent's object gone",
            ])
    }

    @Test func `13 no update runs in a closed scope`() async throws {
        let tick = Subject(0)
        _ = try await Scene.run { scene in
            let scope = try scene.scope.child("part")
            let host = try await scope.host { Living(journal: scene.journal, tick: tick) }
            scope.close()
            tick.send(1)
            try await host.settle()
            await scope.waitUntilClosed()
            #expect(!scene.journal.all.contains("child 1"))
            await #expect(throws: StoreError.self) {
                try await host.place { Living(journal: scene.journal, tick: tick) }
            }
        }
    }

    @Test func `14 why is it alive`() async throws {
        let notices = try await Scene.run { scene in
            let registry = scene.store.ownership
            let owner = try scene.scope.child("owner")
            let borrower = try scene.scope.child("borrower")
            let model = try scene.store.model(Sensor.self, id: "s0")
            try owner.own(model)
            try borrower.borrow(model)
            let position = try await scene.store.write(returning: .position) {
                try $0.update(Sensor.self, id: "s0") { $0.celsius = 1 }
            }
            .position
            let report = registry.report()
            let object = try #require(report.objects.first)
            #expect(object.type == "Sensor" && object.id == "s0" && object.position == position.sequence)
            #expect(object.pins.map(\.kind) == [.borrower, .owner])
            #expect(object.pins.map(\.holder) == ["app/borrower", "app/owner"])
            #expect(object.pins.allSatisfy { $0.line.file.hasSuffix("ScopeBehaviours.swift") && $0.ageSeconds >= 0 })
            #expect(try JSONDecoder().decode(OwnershipReport.self, from: JSONEncoder().encode(report)) == report)
            #expect("\(report)".contains("Sensor s0, at position \(position.sequence)"))
            owner.close()
            borrower.close()
            await borrower.waitUntilClosed()
            // The test still holds the model.
            let leak = try #require(registry.leaks().first)
            #expect(leak.object.id == "s0" && leak.scope == "app/borrower" && leak.object.pins.isEmpty)
            let pin = registry.pin(model, .borrower, by: scene.journal)
            #expect(registry.leaks().first?.object.pins.map(\.kind) == [.borrower])
            pin.release()
            do {
                // An iterator in an open scope borrows the model for that scope.
                var iterator = model.values(of: \.celsius).makeAsyncIterator()
                _ = await iterator.next()
                #expect(registry.leaks().isEmpty)
            }
            #expect(registry.leaks().count == 1)
            let again = try scene.scope.child("again")
            try again.borrow(model)
            #expect(registry.leaks().isEmpty)
        }
        #expect(notices.of(.leaked).count == 1)
    }

    @Test func `14 a leak is told with its age, and its pins with theirs and their lines`() async throws {
        let clock = TestClock()
        _ = try await Scene.run(options: OwnershipOptions(clock: clock)) { scene in
            let registry = scene.store.ownership
            let model = try scene.store.model(Sensor.self, id: "s0")
            let scope = try scene.scope.child("part")
            let owningLine = #line + 1
            try scope.own(model)
            clock.advance(by: .seconds(5))
            let pinningLine = #line + 1
            let pin = registry.pin(model, .delivery)
            clock.advance(by: .seconds(7))
            #expect(registry.whyAlive(model).pins.map(\.ageSeconds) == [7, 12])
            #expect(registry.report().scopes.map(\.ageSeconds) == [12, 12])
            scope.close()
            await scope.waitUntilClosed()
            clock.advance(by: .seconds(30))
            let leak = try #require(registry.leaks().first)
            #expect(leak.scope == "app/part" && leak.ageSeconds == 30 && leak.line.line == owningLine)
            #expect(leak.object.pins.map(\.kind) == [.delivery] && leak.object.pins.map(\.ageSeconds) == [37])
            #expect(leak.object.pins.map(\.line.line) == [pinningLine])
            #expect(leak.object.pins.allSatisfy { $0.line.file.hasSuffix("ScopeBehaviours.swift") })
            let text = "\(leak)"
            #expect(
                text.hasPrefix("leaked for 30 s since the scope app/part closed") && text.contains(":\(pinningLine)"))
            pin.release()
        }
    }

    @Test func `14 what another open scope's task iterates over is no leak, and is one when it outlives that scope`()
        async throws
    {
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            let model = try scene.store.model(Sensor.self, id: "s0")
            let connection = try scene.scope.child("connection")
            try connection.borrow(model)
            let worker = try scene.scope.child("worker")
            try worker.task { for await celsius in model.values(of: \.celsius) { journal.add("\(celsius)") } }
            await journal.until { !$0.isEmpty }
            connection.close()
            await connection.waitUntilClosed()
            #expect(scene.store.ownership.leaks().isEmpty && scene.notices.all.isEmpty)
            worker.close()
            await worker.waitUntilClosed()
            #expect(scene.store.ownership.leaks().map(\.scope) == ["app/connection"])
            withExtendedLifetime(model) {}
        }
        #expect(notices.all.map(\.code) == [.leaked])
    }

    @Test func `14 what a component's cancelled task has is no leak until the task has ended`() async throws {
        let journal = Journal()
        let notices = try await Scene.run { scene in
            let scope = try scene.scope.child("part")
            _ = try await scope.host { SlowOwner(scene: scene, journal: journal) }
            await journal.until { $0.contains("begins") && $0.contains("child begins") }
            scope.close()
            await journal.until { $0.contains("is cancelled") && $0.contains("child is cancelled") }
            // The host ends the tree.
            await journal.until { $0.contains("closes") }
            #expect(scene.store.ownership.leaks().isEmpty)
            journal.add("go on")
            await scope.waitUntilClosed()
        }
        #expect(journal.all.last == "destroyed 1" && notices.all.isEmpty, "\(notices.all)")
    }

    @Test func `14 an object that outlives many scopes is one leak, by the last of them`() async throws {
        _ = try await Scene.run { scene in
            let registry = scene.store.ownership
            let thing = Thing(scene.journal, scene.numbers)
            for number in 0..<100 {
                let scope = try scene.scope.child("part \(number)")
                try scope.own(thing)
                scope.close()
            }
            #expect(registry.leaks().map(\.scope) == ["app/part 99"] && registry.metrics.leakCount == 1)
            withExtendedLifetime(thing) {}
        }
    }

    @Test func `14 an object of the program that scopes only borrow is no leak, and is one where a scope has owned it`()
        async throws
    {
        let notices = try await Scene.run { scene in
            let registry = scene.store.ownership
            let thing = Thing(scene.journal, scene.numbers)
            let borrower = try scene.scope.child("borrower")
            try borrower.borrow(thing)
            borrower.close()
            await borrower.waitUntilClosed()
            #expect(registry.leaks().isEmpty && registry.metrics.leakCount == 0)
            let (owner, last) = (try scene.scope.child("owner"), try scene.scope.child("last"))
            try owner.own(thing)
            try last.borrow(thing)
            owner.close()
            last.close()
            await last.waitUntilClosed()
            #expect(registry.leaks().map(\.scope) == ["app/last"])
            withExtendedLifetime(thing) {}
        }
        #expect(notices.all.map(\.code) == [.leaked])
    }

    /// Returns the names along each cycle.
    private func names(_ cycles: [OwnershipReport.Cycle]) -> [[String]] { cycles.map { $0.owners.map(\.name) } }

    @Test func `14 owner cycles are shown with their path`() async throws {
        _ = try await Scene.run { scene in
            let registry = scene.store.ownership
            let journal = Journal()
            let scope = try scene.scope.child("part")
            let player = try scope.stateObject { Noting(journal, "player") }
            let list = Noting(journal, "list")
            let line = Int(#line) + 1
            let pin = registry.pin(list, by: player)
            #expect(registry.report().cycles.isEmpty)
            let back = [registry.pin(player, by: list), registry.pin(player, by: list)]
            // Once, although there are two pins.
            let cycles = registry.report().cycles
            #expect(names(cycles) == [["Noting #1", "Noting #2"]])
            #expect(cycles.first?.owners.map(\.line.line) == [line, line + 2])
            let file = "\(#fileID)"
            #expect(
                "\(cycles[0])" == "Noting #1 (\(file):\(line)) -> Noting #2 (\(file):\(line + 2)) -> Noting #1")
            #expect("\(registry.report())".contains("Cycles (1)\n  \(cycles[0])"))
            for pin in back { pin.release() }
            // A scope that its own object keeps alive.
            let held = try scope.child("held", heldBy: player)
            try held.own(player)
            #expect(names(registry.report().cycles) == [["scope app/part/held", "Noting"]])
            pin.release()
        }
    }

    @Test func `14 the report of a store names the other store to which a model or a pin belongs`() async throws {
        _ = try await Scene.run { scene in
            _ = try await Scene.run { other in
                let sensor = try scene.store.model(Sensor.self, id: "s1")
                let (own, foreign) = (scene.store.ownership, other.store.ownership)
                let path = "the store \(scene.store.path)"
                #expect(own.whyAlive(sensor).registry == nil && foreign.whyAlive(sensor).registry == path)
                #expect("\(foreign.whyAlive(sensor))".hasPrefix("Sensor s1 of \(path), at position"))
                try scene.scope.borrow(sensor)
                #expect(own.whyAlive(sensor).pins.map(\.registry) == [nil])
                #expect(foreign.whyAlive(sensor).pins.map(\.registry) == [path])
                #expect("\(foreign.whyAlive(sensor))".contains("borrower in app of \(path) for"))
                // An object that is not a model, kept by both stores and by a registry without one.
                let thing = Thing(scene.journal, scene.numbers)
                try scene.scope.borrow(thing)
                try other.scope.borrow(thing)
                let pin = OwnershipRegistry().pin(thing)
                let pins = own.whyAlive(thing).pins
                #expect(pins.first?.registry == nil)
                #expect(
                    Set(pins.dropFirst().map(\.registry))
                        == ["the store \(other.store.path)", "a registry without a store"])
                #expect(own.report().objects.first { $0.type == "Thing" }?.pins.count == 3)
                pin.release()
            }
        }
    }

    @Test func `14 who pins an object is named while he is alive, whoever owns him`() async throws {
        _ = try await Scene.run { scene in
            let registry = scene.store.ownership
            let journal = Journal()
            let list = Thing(journal, scene.numbers)
            var player: Noting? = Noting(journal, "player")
            let pin = registry.pin(list, by: player)
            #expect(registry.whyAlive(list).pins.map(\.holder) == ["Noting"])
            let scope = try scene.scope.child("part", heldBy: player)
            try scope.own(#require(player))
            #expect(registry.whyAlive(list).pins.map(\.holder) == ["Noting"])
            #expect(registry.report().objects.flatMap(\.pins).compactMap(\.holder) == ["app/part", "Noting"])
            #expect(names(registry.report().cycles) == [["scope app/part", "Noting"]])
            scope.close()
            player = nil
            #expect(journal.all.last == "player gone")
            #expect(registry.whyAlive(list).pins.map(\.holder) == ["a Noting that no longer exists"])
            // New objects may get the address of the deallocated one, and must not be reported as holders.
            let others = (0..<100).map { Noting(journal, "other \($0)") }
            let back = others.map { registry.pin($0, by: list) }
            #expect(registry.report().cycles.isEmpty)
            for pin in back + [pin] { pin.release() }
        }
    }

    @Test func `19 first appearance and end`() async throws {
        let tick = Subject(0)
        let journal = Journal()
        _ = try await Scene.run { scene in
            let scope = try scene.scope.child("part")
            let host = try await scope.host { Living(journal: journal, tick: tick) }
            await journal.until { $0.contains("keyed task runs") && $0.contains("task runs") }
            #expect(
                journal.take().filter { !$0.contains("task") } == [
                    "parent", "child 0", "parent appears", "child appears",
                ])
            tick.send(1)
            try await host.settle()
            #expect(journal.take() == ["parent", "child 1"])
            tick.send(2)
            try await host.settle()
            await journal.until { $0.contains("keyed task runs") }
            #expect(journal.take() == ["parent", "child 2", "keyed task runs"])
            tick.send(3)
            try await host.settle()
            await journal.until { $0.contains("task is cancelled") }
            // The task is cancelled before the handler runs, and notes that on its own thread, so the order of the two is open.
            let ending = journal.take()
            #expect(ending.first == "parent" && ending.dropFirst().sorted() == ["child closes", "task is cancelled"])
            scope.close()
            await scope.waitUntilClosed()
            #expect(journal.take() == ["parent closes"])
        }
    }

    @Test func `a task that an update does not ask for any more is cancelled, and each turn of a line has its own`()
        async throws
    {
        let numbers = Subject([1, 2])
        let journal = Journal()
        _ = try await Scene.run { scene in
            let host = try await scene.scope.host { Working(numbers: numbers, journal: journal) }
            await journal.until { $0.count >= 2 }
            #expect(Set(journal.take()) == ["begins 1", "begins 2"])
            numbers.send([1])
            try await host.settle()
            await journal.until { !$0.isEmpty }
            #expect(journal.take() == ["ends 2"])
            numbers.send([1, 3])
            try await host.settle()
            await journal.until { !$0.isEmpty }
            #expect(journal.take() == ["begins 3"])
        }
        #expect(Set(journal.take()) == ["ends 1", "ends 3"])
    }

    /// `MODELSTORE_LONG=1` uses as many models as the contract requires.
    @Test func `20 closing a scope releases all of many models`() async throws {
        let count = TestLength.isLong ? 100_000 : 2_000
        _ = try await Scene.run(sensors: count) { scene in
            let scope = try scene.scope.child("many")
            for number in 0..<count {
                let model = try scope.borrow(scene.store.model(Sensor.self, id: "s\(number)"))
                try scope.task { for await _ in model.values(of: \.celsius) {} }
            }
            #expect(scene.store.ownership.metrics.modelCount == count)
            scope.close()
            await scope.waitUntilClosed()
            let metrics = scene.store.ownership.metrics
            #expect(
                metrics.pinCount == 0 && metrics.objectCount == 0 && metrics.modelCount == 0 && metrics.scopeCount == 1)
        }
    }
}

/// An object that notes its end.
private final class Noting: Sendable {
    private let journal: Journal
    private let name: String

    init(_ journal: Journal, _ name: String) {
        self.journal = journal
        self.name = name
    }

    deinit { journal.add("\(name) gone") }
}
