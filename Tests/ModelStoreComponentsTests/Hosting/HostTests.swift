import ModelStore
import ModelStoreComponents
import ModelStoreTesting
import TestSupport
import Testing

/// Shows a sent number and a sensor.
@Component
private struct Dial {
    let journal: Journal
    let sent: Subject<Int>
    @FetchRequest(Sensor.order { $0.id.ascending }.limit(1)) var first: LiveRecords<Sensor>
    @StateObject var thing: Thing

    init(_ scene: Scene, _ sent: Subject<Int>) {
        journal = scene.journal
        self.sent = sent
        let (journal, numbers) = (scene.journal, scene.numbers)
        _thing = StateObject(wrappedValue: Thing(journal, numbers))
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(sent.value) \(first.map(\.celsius)) of \(thing.number)")
    }
}

/// Sends itself the next number, many times.
@Component
private struct Busy {
    let sent: Subject<Int>

    func update(_ context: inout ComponentContext) {
        let seen = sent.value
        if seen < 300 { sent.send(seen + 1) }
    }
}

/// Shows a number that other tasks keep changing.
@Component
private struct Shown {
    let sent: Subject<Int>
    let last: Subject<Int>

    func update(_ context: inout ComponentContext) {
        let number = sent.value
        let last = last
        context.onClose { last.send(number) }
        context.place(Digit(number: number))
    }
}

/// Each update of its parent creates a new value of it.
@Component
private struct Digit {
    let number: Int

    func update(_ context: inout ComponentContext) {}
}

/// Places two children with the same id.
@Component
private struct Twins {
    func update(_ context: inout ComponentContext) {
        for number in 1...2 { context.place(Digit(number: number), id: "x") }
        context.place(Digit(number: 3), id: "y")
    }
}

/// Hosts that fail, wait and continue.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct HostTests {
    @Test func `the same id twice is a notice`() async throws {
        let notices = try await Scene.run { scene in _ = try await scene.scope.host { Twins() } }
        #expect(notices.all.map(\.code) == [.repeatedID])
        #expect(notices.all.first?.message.contains("several Digit with the id x") == true)
    }

    @Test func `subjects and state stores are equal to themselves alone, so components that have them can be compared`()
    {
        let (subject, state) = (Subject(1), StateStore(1) { (_, _: Int) in })
        #expect(subject == subject && subject != Subject(1))
        #expect(state == state && state != StateStore(1) { (_, _: Int) in })
    }

    struct Refused: Error {}

    @Test func `a root that cannot be made leaves nothing`() async {
        let registry = OwnershipRegistry()
        do {
            let scope = registry.scope("app")
            for _ in 0..<10 {
                await #expect(throws: Refused.self) {
                    _ = try await scope.host { () throws -> Shown in throw Refused() }
                }
            }
            #expect(registry.report().scopes.map(\.taskCount) == [0])
        }
        #expect(registry.report().scopes.isEmpty)
    }

    @Test func `a store that cannot be read for a while is waited for, and told of once`() async throws {
        let sent = Subject(0)
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Dial(scene, sent) }
            let effect = Subject(0)
            try scene.scope.observe { [store = scene.store] in
                effect.send(sent.value + Int(try store.model(Sensor.self, id: "s0").celsius))
            }
            for await value in effect.values where value == 20 { break }
            #expect(journal.take().last == "0 [20.0] of 1")
            let faults = FaultInjector(scene.store)
            await faults.failing(.renew, with: .readersFull, times: .max) {
                await faults.failing(.begin, with: .readersFull, times: .max) {
                    sent.send(5)
                    await #expect(throws: StoreError.self) { try await host.settle() }
                    // The host and the effect have failed to read, too.
                    while scene.notices.of(.readFailed).count < 2, !Task.isCancelled { await Task.yield() }
                }
            }
            for await value in effect.values where value == 25 { break }
            await journal.until { $0.contains("5 [20.0] of 1") }
            try await scene.set("s0", 30)
            try await host.settle()
            #expect(journal.take().last == "5 [30.0] of 1")
            #expect(await host.counters.componentCount == 1)
        }
        #expect(notices.all.map(\.code) == [.readFailed, .readFailed])
    }

    @Test func `who changes what others show, faster than they can, does not accuse them`() async throws {
        let (sent, last) = (Subject(0), Subject(0))
        let notices = try await Scene.run { scene in
            let inner = try scene.scope.child("inner")
            let host = try await inner.host { Shown(sent: sent, last: last) }
            let sending = Task {
                while !Task.isCancelled {
                    sent.update { $0 += 1 }
                    await Task.yield()
                }
            }
            while await host.counters.passCount < 1_000 {
                try await host.settle()
                // There may be one thread for both tasks.
                await Task.yield()
            }
            sending.cancel()
            await sending.value
            try await host.settle()
            inner.close()
            await inner.waitUntilClosed()
            #expect(last.value == sent.value)
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `a component that goes on by itself for long is told of, and comes to its end`() async throws {
        let sent = Subject(0)
        let notices = try await Scene.run { scene in
            let host = try await scene.scope.host { Busy(sent: sent) }
            while sent.value < 300 { try await host.settle() }
        }
        #expect(notices.all.map(\.code) == [.endlessUpdates])
    }
}
