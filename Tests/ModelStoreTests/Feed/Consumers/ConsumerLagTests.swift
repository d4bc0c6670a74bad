import ModelStore
import TestSupport
import Testing

/// The lag of consumers, counted with their filters.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerLagTests {
    private static func store() async throws -> Store {
        let store = try ChangeFeedTests.store()
        try await store.write { tx in for number in 0..<5 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        return store
    }

    private static func hold(_ name: String, _ store: Store, _ change: (inout FeedOptions) -> Void) async throws {
        var options = ConsumerOptions()
        options.start = .newest
        change(&options.feed)
        _ = try await store.holdConsumer(name, options)
    }

    private static func lag(_ name: String, _ store: Store) throws -> UInt64? {
        try store.consumers().first { $0.name == name }?.lag
    }

    @Test func `the lag counts the change sets that the filters let through`() async throws {
        let store = try await Self.store()
        try await Self.hold("all", store) { _ in }
        try await Self.hold("accounts", store) { $0.filters = [FeedFilter(Account.self)] }
        try await Self.hold("notes", store) { $0.filters = [FeedFilter(Sensor.self, touching: \.note)] }
        try await Self.hold("hot", store) { $0.filters = [FeedFilter(Sensor.self, where: { $0.celsius > 98 })] }
        try await Self.hold("others", store) { $0.skipsOwnOrigin = true }
        #expect(try store.consumers().allSatisfy { $0.lag == 0 && $0.isLagExact })
        for number in 1...7 {
            try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = Double(93 + number) } }
        }
        for number in 1...3 {
            try await store.write { try $0.update(Sensor.self, id: "s2") { $0.note = "\(number)" } }
        }
        try await store.write { try $0.insert(Account(email: "a", balance: 1)) }
        let lags = Dictionary(uniqueKeysWithValues: try store.consumers().map { ($0.name, $0.lag) })
        #expect(lags == ["all": 11, "accounts": 1, "notes": 3, "hot": 2, "others": 0])
        #expect(try store.consumers().allSatisfy(\.isLagExact))
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `of a condition that another process holds, the lag is an upper bound`() async throws {
        let directory = try TestDirectory()
        func open() throws -> Store {
            try Store(
                at: directory.path + "/store", records: Sensor.self, Account.self, options: ChangeFeedTests.small())
        }
        var store = try open()
        try await Self.hold("hot", store) { $0.filters = [FeedFilter(Sensor.self, where: { $0.celsius > 98 })] }
        for number in 0..<4 {
            try await store.write { try $0.upsert(ChangeFeedTests.sensor(1, celsius: Double(96 + number))) }
        }
        try await store.write { try $0.insert(Account(email: "a", balance: 1)) }
        var consumer = try #require(try store.consumers().first)
        #expect(consumer.lag == 1 && consumer.isLagExact)
        store.close()
        // The condition was known only to the closed store.
        store = try open()
        consumer = try #require(try store.consumers().first)
        #expect(consumer.lag == 4 && consumer.lagBound == .unknownCondition)
        store.close()
    }

    @Test func `a consumer at rest has no lag, though it writes itself`() async throws {
        let store = try await Self.store()
        let consuming = Task {
            try await store.consume("counts") { set, tx in
                for change in try set.changes(of: Sensor.self) {
                    try tx.insert(Account(email: "\(change.idempotencyKey)", balance: 1))
                }
            }
        }
        while try store.read({ try $0.count(Account.self) }) < 5 { try await nextTurn() }
        let consumer = try #require(try store.consumers().first)
        #expect(consumer.position != (try store.position))
        #expect(consumer.lag == 0 && consumer.isLagExact)
        consuming.cancel()
        try await consuming.value
    }

    @Test func `what it wants is that of its last holder, and goes with it`() async throws {
        let store = try await Self.store()
        try await Self.hold("one", store) { $0.filters = [FeedFilter(Account.self)] }
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 1 } }
        #expect(try Self.lag("one", store) == 0)
        try await Self.hold("one", store) { $0.filters = [FeedFilter(Sensor.self)] }
        #expect(try Self.lag("one", store) == 1)
        try await Self.hold("one", store) { _ in }
        #expect(try Self.lag("one", store) == 1)
        try await Self.hold("one", store) { $0.filters = [FeedFilter(Account.self)] }
        try await store.deleteConsumer("one")
        try await Self.hold("one", store) { _ in }
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 2 } }
        #expect(try Self.lag("one", store) == 1)
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `of one that is far behind the lag is an upper bound`() async throws {
        let store = try await Self.store()
        try await Self.hold("accounts", store) { $0.filters = [FeedFilter(Account.self)] }
        try await store.write { try $0.insert(Account(email: "a", balance: 1)) }
        for round in 0..<5 {
            try await store.write { tx in
                for number in 0..<4_500 { try tx.upsert(ChangeFeedTests.sensor(number, celsius: Double(round))) }
            }
        }
        let consumer = try #require(try store.consumers().first)
        // The consumer wants the first change set. The lag excludes only three of the other five, because the count stops there.
        #expect(consumer.lag == 3 && consumer.lagBound == .tooFarBehind)
    }
}
