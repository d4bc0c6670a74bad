import Foundation
import ModelStore
import Synchronization
import TestSupport
import Testing

/// Consumers whose filters match nothing. The store still records their progress, so that they do not expire.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerPaceTests {
    private static func write(_ count: Int, to store: Store) async throws {
        for number in 0..<count {
            try await store.write {
                try $0.upsert(ChangeFeedTests.sensor(1, celsius: Double(number) + .random(in: 0..<1)))
            }
        }
    }

    private static func consumed(_ store: Store) throws -> UInt64 {
        try store.consumers().first?.position.sequence ?? 0
    }

    private static func consume(_ store: Store, _ options: ConsumerOptions) throws -> Task<Void, any Error> {
        var options = options
        // Starts after the schema changes, which every consumer receives.
        options.start = .after(try store.position)
        options.feed.filters = [FeedFilter(Account.self)]
        let picky = options
        return Task {
            try await store.consume("picky", picky) { (_: ChangeSet) in Issue.record("it was given something") }
        }
    }

    @Test func `with a short lease after a quarter of it`() async throws {
        var storeOptions = StoreOptions()
        storeOptions.limits.retainedChangeSets = 10
        let store = try ChangeFeedTests.store(storeOptions)
        var options = ConsumerOptions()
        options.lease.changeSets = 100
        // The consumer's sleep never ends, so time has no influence.
        options.sleep = { _ in try await sleepUntilCancelled() }
        let consuming = try Self.consume(store, options)
        while try store.consumers().first?.isHeld != true { try await nextTurn() }
        for _ in 0..<30 {
            try await Self.write(10, to: store)
            let newest = try store.position.sequence
            while try Self.consumed(store) + 25 <= newest { try await nextTurn() }
        }
        #expect(try store.consumers().map(\.isExpired) == [false])
        consuming.cancel()
        try await consuming.value
    }

    @Test func `after an eighth of the lease's time where little is written`() async throws {
        let store = try ChangeFeedTests.store()
        let waits = Mutex<[Duration]>([])
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        var options = ConsumerOptions()
        options.lease.age = .seconds(80)
        options.sleep = { delay in
            waits.withLock { $0.append(delay) }
            for await _ in turns { return }
            throw CancellationError()
        }
        let consuming = try Self.consume(store, options)
        try await Self.write(10, to: store)
        let newest = try store.position.sequence
        #expect(try Self.consumed(store) < newest)
        turn.yield()
        while try Self.consumed(store) < newest { try await nextTurn() }
        #expect(waits.withLock { $0.allSatisfy { $0 == .seconds(10) } && !$0.isEmpty })
        consuming.cancel()
        try await consuming.value
    }

    @Test func `a reader whose filter lets nothing through ends when its task does, however much there is`()
        async throws
    {
        let store = try ChangeFeedTests.store()
        let start = try store.position
        // These are more changes than memory holds, and more than the reader reads before it checks for cancellation.
        try await store.write { tx in
            for number in 0..<30_000 { try tx.insert(ChangeFeedTests.sensor(number)) }
        }
        var options = FeedOptions()
        options.changesPerPart = 100
        options.filters = [FeedFilter(Account.self)]
        let reading = Task { [options] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            var feed = store.changes(since: start, options).makeAsyncIterator()
            return try await feed.next() == nil
        }
        #expect(try await reading.value)
        // A reader that is not cancelled reads past all of them.
        try await store.write { try $0.insert(Account(email: "a", balance: 1)) }
        let newest = try store.position
        var feed = store.changes(since: start, options).makeAsyncIterator()
        #expect(try await feed.next()?.position == newest)
    }
}
