import ModelStore
import Synchronization
import TestSupport
import Testing

@Record private struct Sighting: Equatable {
    @ID var id: Int
    var sensor: Reference<Sensor>
}

/// How consumers handle failures outside their closures, and failures that do not end them.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerFailureTests {
    private static func options(_ note: @escaping @Sendable (ConsumerEvent) -> Void = { _ in }) -> ConsumerOptions {
        var options = ConsumerOptions()
        options.sleep = { _ in
            try Task.checkCancellation()
            await Task.yield()
        }
        options.onEvent = note
        return options
    }

    private static func store(_ count: Int) async throws -> Store {
        let store = try Store.temporary(
            records: Sensor.self, Account.self, Sighting.self, options: ChangeFeedTests.small())
        for number in 0..<count { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        return store
    }

    @Test func `what only the end of the write finds wrong counts as a failure of its change set`() async throws {
        let store = try await Self.store(30)
        let skipped = Mutex<[StoreError.Code?]>([])
        var options = Self.options { event in
            guard case .skipped(_, let error) = event else { return }
            skipped.withLock { $0.append((error as? StoreError)?.code) }
        }
        options.failurePolicy = .skip
        options.feed.filters = [FeedFilter(Sensor.self)]
        let failing = options
        let consuming = Task {
            try await store.consume("tallies", failing) { (set: ChangeSet, tx: inout WriteTransaction) in
                for change in try set.changes(of: Sensor.self) {
                    let number = Int(change.id.dropFirst()) ?? 0
                    let sensor = number == 17 ? "nowhere" : change.id
                    try tx.insert(Sighting(id: number, sensor: Reference(sensor)))
                }
            }
        }
        while try store.read({ try $0.count(Sighting.self) }) < 29 { try await nextTurn() }
        consuming.cancel()
        try await consuming.value
        #expect(try store.read { try $0.get(Sighting.self, id: 17) } == nil)
        #expect(try store.consumers().first?.skippedCount == 1)
        #expect(skipped.withLock { $0 } == [.referenceBroken])
    }

    @Test(arguments: [true, false])
    func `one that gives up says which consumer, change set and how many attempts, with the error as its cause`(
        isInStore: Bool
    ) async throws {
        struct Outage: Error {}
        let store = try await Self.store(3)
        let thrown = Mutex<any Error>(Outage())
        func end(_ attempts: Int) async -> StoreError? {
            var options = Self.options()
            options.retry.attempts = attempts
            let given = options
            return await #expect(throws: StoreError.self) {
                if isInStore {
                    try await store.consume("totals", given) { (set: ChangeSet, tx: inout WriteTransaction) in
                        if set.sequence == 2 { throw thrown.withLock { $0 } }
                    }
                } else {
                    try await store.consume("totals", given) { (set: ChangeSet) in
                        if set.sequence == 2 { throw thrown.withLock { $0 } }
                    }
                }
            }
        }
        let remedy = "correct the cause and start the consumer again, or set failurePolicy to .skip"
        var error = await end(3)
        #expect(error?.code == .consumerFailed && error?.cause is Outage)
        #expect(error?.message == #"the consumer "totals" gave up at change set 2 after 3 attempts: Outage()"#)
        #expect(error?.remedy == remedy)
        #expect(try store.consumers().first?.position.sequence == 1)
        thrown.withLock { $0 = StoreError(.conditionNotMet, "the till is closed", remedy: "open it") }
        error = await end(1)
        #expect(error?.code == .conditionNotMet && (error?.cause as? StoreError)?.code == .conditionNotMet)
        #expect(
            error?.message
                == #"the consumer "totals" gave up at change set 2 after 1 attempt: the till is closed; open it"#)
    }

    private final class Tries: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    @Test func `a cancellation of something else is a failure like any other`() async throws {
        let store = try await Self.store(1)
        let failures = Mutex(0)
        let options = Self.options { if case .failed = $0 { failures.withLock { $0 += 1 } } }
        let (tries, done) = (Tries(), AsyncStream.makeStream(of: Void.self))
        let consuming = Task {
            try await store.consume("elsewhere", options) { (_: ChangeSet) in
                if tries.next() <= 2 { throw CancellationError() }
                done.continuation.yield()
            }
        }
        for await _ in done.stream { break }
        consuming.cancel()
        try await consuming.value
        #expect(failures.withLock { $0 } == 2)

        var error = await #expect(throws: StoreError.self) {
            try await store.consume("never", options) { (_: ChangeSet) in throw CancellationError() }
        }
        #expect(error?.cause is CancellationError)
        error = await #expect(throws: StoreError.self) {
            try await store.consume("never in the store", options) { (_: ChangeSet, _: inout WriteTransaction) in
                throw CancellationError()
            }
        }
        #expect(error?.cause is CancellationError)
    }

    @Test func `a change set in parts that was begun is dealt with to its end`() async throws {
        let store = try await Self.store(0)
        var options = Self.options()
        options.start = .newest
        options.feed.changesPerPart = 10
        let parts = Mutex<[Int]>([])
        let (held, begun) = (options, AsyncStream.makeStream(of: Void.self))
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let consuming = Task {
            try await store.consume("large", held) { (set: ChangeSet) in
                parts.withLock { $0.append(set.part) }
                guard set.part == 1 else { return }
                begun.continuation.yield()
                await Task { for await _ in gate { break } }.value
            }
        }
        while try store.consumers().first?.isHeld != true { try await nextTurn() }
        let written = try await store.write(returning: .position) { tx in
            for number in 0..<50 { try tx.insert(ChangeFeedTests.sensor(number)) }
        }.position
        for await _ in begun.stream { break }
        consuming.cancel()
        open.yield()
        try await consuming.value
        #expect(parts.withLock { $0 } == [0, 1, 2, 3, 4])
        #expect(try store.consumers().first?.position == written)
    }

    @Test func `a change set of another store moves no consumer`() async throws {
        let (store, other) = (try await Self.store(3), try await Self.store(9))
        let consumer = try await store.holdConsumer("one")
        var feed = other.changes(from: .after(sequence: try other.position.sequence - 1)).makeAsyncIterator()
        let foreign = try #require(try await feed.next())
        let error = await #expect(throws: StoreError.self) { try await consumer.acknowledge(foreign) }
        #expect(error?.code == .positionOfAnotherStore)
        #expect(try consumer.position == consumer.firstPosition)
    }
}
