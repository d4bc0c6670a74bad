import ModelStore
import TestSupport
@testable import ModelStoreTesting
import StoreRuntime
import Synchronization
import Testing

private final class Thing: Sendable {}

@Suite("The trait that finds leaks", .timeLimit(.minutes(TestLength.waitMinutes))) struct LeakFreeTraitTests {
    /// Runs a body as a test with the trait.
    private func run(
        _ trait: LeakFreeTrait, _ body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
        try await trait.provideScope(for: test, testCase: testCase, performing: body)
    }

    /// Returns the issues that a trait without patience reports for a body.
    private func issues(_ body: @escaping @concurrent @Sendable () async throws -> Void) async throws -> [String] {
        let told = Mutex<[String]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await run(LeakFreeTrait(patience: .zero), body)
        } matching: { issue in
            told.withLock { $0.append("\(issue.comments.map(\.rawValue).joined())") }
            return true
        }
        return told.withLock { $0 }
    }

    @Test func `a test that leaves nothing passes`() async throws {
        let told = try await issues {
            let store = try Store.temporary(records: Lamp.self)
            try await store.write { try $0.insert(Lamp(id: "a")) }
            try await store.withScope("part") { scope in
                try scope.borrow(store.model(Lamp.self, id: "a"))
                try scope.own(Thing())
            }
        }
        #expect(told.isEmpty)
    }

    @Test func `a scope that is left open fails a test, and is told with its line`() async throws {
        let kept = Mutex<Scope?>(nil)
        let told = try await issues {
            let scope = OwnershipRegistry().scope("connection 7")
            kept.withLock { $0 = scope }
        }
        #expect(told.count == 1)
        #expect(told.first?.contains("connection 7: 0 pins") == true)
        #expect(told.first?.contains("LeakFreeTraitTests.swift:") == true)
    }

    @Test func `a pin that is left fails a test`() async throws {
        let kept = Mutex<Pin?>(nil)
        let told = try await issues {
            let pin = OwnershipRegistry().pin(Thing())
            kept.withLock { $0 = pin }
        }
        #expect(told.count == 1)
        #expect(told.first?.contains("Thing\n    owner for") == true)
    }

    @Test func `an object that outlives its scope fails a test, and is told as a leak`() async throws {
        let thing = Thing()
        let told = try await issues {
            let scope = OwnershipRegistry().scope("part")
            try scope.own(thing)
            scope.close()
        }
        #expect(told.count == 1)
        #expect(told.first?.contains("since the scope part closed") == true)
    }

    private static func rest(_ model: Model<Lamp>, _ store: Store) -> WeakLamp {
        store.ownership.pin(model).release()
        return WeakLamp(model)
    }

    @Test func `a model that comes to rest after the end of a test is let go`() async throws {
        var options = StoreOptions()
        options.ownership.gracePeriod = .seconds(3_600)
        let store = Mutex<Store?>(nil)
        try await run(LeakFreeTrait()) { [options] in
            let made = try Store.temporary(records: Lamp.self, options: options)
            try await made.write { tx in
                for id in ["a", "b"] { try tx.insert(Lamp(id: id)) }
            }
            // The model rests when the test ends.
            let first = try Self.rest(made.model(Lamp.self, id: "a"), made)
            #expect(first.model != nil)
            let pin = made.ownership.pin(try made.model(Lamp.self, id: "b"))
            Task.detached {
                // The trait releases the resting model and checks again. A model does not report its end, so this loop polls.
                while first.model != nil { try? await Task.sleep(for: .milliseconds(1)) }
                pin.release()
            }
            store.withLock { $0 = made }
        }
        #expect(store.withLock { $0?.ownership.report().isEmpty } == true)
    }
}

/// A weak reference to a model.
private final class WeakLamp: Sendable {
    weak let model: Model<Lamp>?

    init(_ model: Model<Lamp>) { self.model = model }
}
