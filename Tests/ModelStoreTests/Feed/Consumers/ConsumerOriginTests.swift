import Foundation
import ModelStore
import TestSupport
import Testing

/// A consumer does not receive its own writes, whichever program runs it.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerOriginTests {
    private static func open(_ directory: TestDirectory, as program: String) throws -> Store {
        var options = ChangeFeedTests.small()
        options.originName = program
        return try Store(at: directory.path, records: Sensor.self, Account.self, options: options)
    }

    @Test func `another program goes on with a consumer, and is not given what the first one wrote as it`() async throws
    {
        let directory = try TestDirectory()
        let written = try await writeAsFirst(directory)
        let second = try Self.open(directory, as: "svc-v2")
        let other = try await second.write(returning: .position) { try $0.insert(ChangeFeedTests.sensor(2)) }.position
        let successor = try await second.holdConsumer("totals")
        #expect(successor.firstPosition.sequence + 1 == written.sequence)
        var rest = successor.changes.makeAsyncIterator()
        #expect(try await rest.next()?.position == other)
        // For all other readers, it is an ordinary change.
        var all = second.changes(since: successor.firstPosition).makeAsyncIterator()
        #expect(try await all.next()?.position == written)
    }

    @Test func `a consumer that writes along with its acknowledgements by hand does not feed itself`() async throws {
        let store = try ChangeFeedTests.store()
        let consumer = try await store.holdConsumer("totals")
        for number in 1...5 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        var changes = consumer.changes.makeAsyncIterator()
        for number in 1...7 {
            let set = try #require(try await changes.next())
            try await store.write { tx in
                try tx.insert(Account(email: "\(number)", balance: 1))
                try consumer.acknowledge(set, in: &tx)
            }
        }
        let next = try await store.write(returning: .position) { try $0.insert(ChangeFeedTests.sensor(6)) }.position
        #expect(try await changes.next()?.position == next)
    }

    @Test func `names that could be taken for one another are refused`() async throws {
        let store = try ChangeFeedTests.store()
        let error = await #expect(throws: StoreError.self) { _ = try await store.holdConsumer("a#b") }
        #expect(error?.code == .invalidValue)
        #expect(try store.consumers().isEmpty)
        let directory = try TestDirectory()
        #expect(throws: StoreError.self) { try Self.open(directory, as: "svc#totals") }
    }

    @Test func `commits that took the place of lost ones have other keys`() async throws {
        let directory = try TestDirectory()
        let store = try Self.open(directory, as: "a")
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        store.close()
        // Simulates a power failure that loses the next commit: a copy of the store without that commit.
        let second = try TestDirectory()
        try FileManager.default.removeItem(atPath: second.path)
        try FileManager.default.copyItem(atPath: directory.path, toPath: second.path)
        var keys: [[String]] = []
        for folder in [directory, second] {
            let store = try Self.open(folder, as: "a")
            try await store.write { try $0.insert(ChangeFeedTests.sensor(2)) }
            var feed = store.changes(from: .oldest).makeAsyncIterator()
            keys.append(try await ChangeFeedTests.take(4, &feed).flatMap { $0.changes.map(\.idempotencyKey) })
            store.close()
        }
        #expect(keys[0].count == 4 && keys[0].dropLast() == keys[1].dropLast() && keys[0].last != keys[1].last)
    }

    /// Writes as the first program's consumer, and then releases the consumer.
    private func writeAsFirst(_ directory: TestDirectory) async throws -> Position {
        let store = try Self.open(directory, as: "svc-v1")
        defer { store.close() }
        let consumer = try await store.holdConsumer("totals")
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        var changes = consumer.changes.makeAsyncIterator()
        // The feed starts with the schemas of both types, followed by the insert.
        let set = try #require(try await ChangeFeedTests.take(3, &changes).last)
        let written = try await store.write(returning: .position) { tx in
            try tx.insert(Account(email: "x", balance: 1))
            try consumer.acknowledge(set, in: &tx)
        }.position
        let origin = try await newest(store)?.origin
        #expect(origin?.name == "svc-v1#totals" && origin?.consumerName == "totals")
        return written
    }

    private func newest(_ store: Store) async throws -> ChangeSet? {
        var feed = store.changes(from: .after(sequence: try store.position.sequence - 1)).makeAsyncIterator()
        return try await feed.next()
    }
}
