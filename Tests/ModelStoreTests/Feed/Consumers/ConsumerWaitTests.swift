import ModelStore
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Waits until a consumer has passed a position.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerWaitTests {
    private static func write(_ number: Int, to store: Store) async throws -> Position {
        try await store.write(returning: .position) { try $0.insert(ChangeFeedTests.sensor(number)) }.position
    }

    /// Returns options of a consumer for which no time passes.
    private static func timeless() -> ConsumerOptions {
        var options = ConsumerOptions()
        options.sleep = { _ in try await sleepUntilCancelled() }
        return options
    }

    @Test func `after the wait the consumer has dealt with everything up to the position`() async throws {
        for isInStore in [true, false] {
            let store = try ChangeFeedTests.store()
            let seen = Mutex<UInt64>(0)
            let options = Self.timeless()
            let consuming = Task {
                guard isInStore else {
                    return try await store.consume("totals", options) { (set: ChangeSet) in
                        seen.withLock { $0 = set.sequence }
                    }
                }
                try await store.consume("totals", options) { set, _ in seen.withLock { $0 = set.sequence } }
            }
            while try store.consumers().isEmpty { try await nextTurn() }
            for number in 0..<50 {
                let position = try await Self.write(number, to: store)
                try await store.wait(forConsumer: "totals", toPass: position)
                #expect(seen.withLock { $0 } >= position.sequence)
                #expect(try store.consumers().first?.position.sequence ?? 0 >= position.sequence)
            }
            consuming.cancel()
            try await consuming.value
        }
    }

    @Test func `a consumer that wants nothing of it passes the position at once, whatever its filter is`() async throws
    {
        let filters = [
            FeedFilter(Account.self), FeedFilter(Sensor.self, where: { $0.celsius > 1_000 }),
            FeedFilter(Sensor.self, touching: \.note),
        ]
        for (place, filter) in filters.enumerated() {
            let store = try ChangeFeedTests.store()
            var position = try await Self.write(0, to: store)
            var options = Self.timeless()
            options.start = .newest
            options.feed.filters = [filter]
            let picky = options
            let consuming = Task { try await store.consume("picky", picky) { (_: ChangeSet) in } }
            while try store.consumers().isEmpty { try await nextTurn() }
            for number in 1...20 {
                position = try await store.write(returning: .position) { tx in
                    try tx.update(Sensor.self, id: "s0") { $0.celsius = Double(number) }
                }.position
                if number.isMultiple(of: 3) { await Task.yield() }
                try await store.wait(forConsumer: "picky", toPass: position)
            }
            #expect(try store.consumers().first?.position.sequence ?? 0 >= position.sequence, "filter \(place)")
            consuming.cancel()
            try await consuming.value
        }
    }

    @Test func `a wait begins before the consumer runs, and ends with its task`() async throws {
        let store = try ChangeFeedTests.store()
        _ = try await store.holdConsumer("late")
        let position = try await Self.write(1, to: store)
        let waits = (0..<10).map { _ in Task { try await store.wait(forConsumer: "late", toPass: position) } }
        for wait in waits[..<5] { wait.cancel() }
        for wait in waits[..<5] { await #expect(throws: CancellationError.self) { try await wait.value } }
        let consuming = Task { try await store.consume("late") { (_: ChangeSet) in } }
        for wait in waits[5...] { try await wait.value }
        consuming.cancel()
        try await consuming.value
    }

    @Test func `a wait begins before the consumer's first start, and ends once it has passed the position`()
        async throws
    {
        let store = try ChangeFeedTests.store()
        let position = try await Self.write(1, to: store)
        let waits = (0..<4).map { _ in Task { try await store.wait(forConsumer: "first", toPass: position) } }
        waits[0].cancel()
        await #expect(throws: CancellationError.self) { try await waits[0].value }
        #expect(try store.consumers().isEmpty)
        let consuming = Task { try await store.consume("first", Self.timeless()) { (_: ChangeSet) in } }
        for wait in waits[1...] { try await wait.value }
        consuming.cancel()
        try await consuming.value
        // A consumer that is created at a later position has passed the earlier ones.
        let created = Task { try await store.wait(forConsumer: "created", toPass: position) }
        try await store.createConsumer("created", at: .newest)
        try await created.value
    }

    @Test func `a consumer that is deleted or has expired is a typed error`() async throws {
        var storeOptions = StoreOptions()
        storeOptions.limits.retainedChangeSets = 2
        let store = try ChangeFeedTests.store(storeOptions)
        @Sendable func code(_ name: String, _ position: Position) async -> StoreError.Code? {
            await #expect(throws: StoreError.self) { try await store.wait(forConsumer: name, toPass: position) }?.code
        }
        let first = try await Self.write(0, to: store)
        #expect(await code("", first) == .invalidValue)
        let other = try ChangeFeedTests.store()
        #expect(await code("nobody", try other.position) == .positionOfAnotherStore)
        var options = ConsumerOptions()
        options.start = .newest
        options.lease = .none
        let ending = [
            try await store.holdConsumer("deleted", options), try await store.holdConsumer("expired", options),
        ]
        #expect(await code("deleted", try other.position) == .positionOfAnotherStore)
        let later = try await Self.write(1, to: store)
        async let deleted = code("deleted", later)
        async let expired = code("expired", later)
        // A wait for a consumer that is already deleted would wait for it to be created.
        while !ending.allSatisfy(\.isAwaited) { await Task.yield() }
        // The end of a consumer is a commit without a change set.
        try await store.deleteConsumer("deleted")
        #expect(await deleted == .consumerNotFound)
        for number in 2..<40 { _ = try await Self.write(number, to: store) }
        #expect(await expired == .consumerExpired)
        // A position that the consumer had passed before it expired still counts as passed.
        try await store.wait(forConsumer: "expired", toPass: first)
    }

    @Test func `closing the store ends the wait`() async throws {
        let store = try ChangeFeedTests.store()
        _ = try await store.holdConsumer("one")
        let position = try await Self.write(1, to: store)
        let waiting = Task { try await store.wait(forConsumer: "one", toPass: position) }
        await store.shutdown()
        let error = await #expect(throws: StoreError.self) { try await waiting.value }
        #expect(error?.code == .closed)
    }
}
