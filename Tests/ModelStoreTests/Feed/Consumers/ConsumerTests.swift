import Foundation
import ModelStore
import Synchronization
import TestSupport
import Testing

/// Named consumers in one process.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerTests {
    /// Returns the number that the consumer has counted for a room.
    private static func count(_ store: Store, _ room: String) throws -> Int {
        try store.read { try $0.get(Account.self, unique: \.email, equals: room)?.balance ?? 0 }
    }

    @Sendable private static func addUp(_ set: ChangeSet, _ tx: inout WriteTransaction) throws {
        for change in try set.changes(of: Sensor.self) where change.kind == .insert {
            let room = change.after?.room ?? ""
            if let account = try tx.get(Account.self, unique: \.email, equals: room) {
                try tx.update(Account.self, id: account.id) { $0.balance += 1 }
            } else {
                try tx.insert(Account(email: room, balance: 1))
            }
        }
    }

    private static func options(_ note: @escaping @Sendable (ConsumerEvent) -> Void = { _ in }) -> ConsumerOptions {
        var options = ConsumerOptions()
        options.sleep = { _ in await Task.yield() }
        options.onEvent = note
        return options
    }

    /// Waits until a consumer has seen all writes so far.
    private static func settle(_ store: Store, _ name: String) async throws {
        let target = try store.position.sequence
        while (try store.consumers().first { $0.name == name }?.position.sequence ?? 0) < target {
            try await nextTurn()
        }
    }

    @Test func `what a consumer writes happens once for each change set, over restarts`() async throws {
        let store = try ChangeFeedTests.store()
        for round in 0..<10 {
            let consuming = Task { try await store.consume("totals", Self.options(), Self.addUp) }
            for number in 0..<40 {
                let id = round * 40 + number
                try await store.write { try $0.insert(ChangeFeedTests.sensor(id, room: "r\(id % 3)")) }
            }
            if round == 9 {
                while try (0..<3).map({ try Self.count(store, "r\($0)") }).reduce(0, +) < 400 { try await nextTurn() }
            }
            consuming.cancel()
            try await consuming.value
        }
        #expect(try (0..<3).map { try Self.count(store, "r\($0)") } == [134, 133, 133])
    }

    @Test func `a consumer waits for the one that holds its name, and goes on where that one ended`() async throws {
        let store = try ChangeFeedTests.store()
        let seen = Seen()
        let waits = Mutex(0)
        let options = Self.options { if case .waiting = $0 { waits.withLock { $0 += 1 } } }
        var holder: FeedConsumer? = try await store.holdConsumer("one", options)
        for number in 0..<20 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        var changes = try #require(holder?.changes.makeAsyncIterator())
        var handled: [UInt64] = []
        while handled.count < 10 {
            let set = try #require(try await changes.next())
            try await holder?.acknowledge(set)
            handled.append(set.sequence)
        }
        let second = Task { try await store.consume("one", options) { seen.note($0) } }
        while waits.withLock({ $0 }) == 0 { try await nextTurn() }
        holder = nil
        for number in 20..<40 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        let target = try store.position.sequence
        while seen.sequences.last ?? 0 < target { try await nextTurn() }
        second.cancel()
        try await second.value
        #expect(handled + seen.sequences == Array(1...target))
        let information = try #require(try store.consumers().first)
        #expect(information.position.sequence == target && !information.isHeld)
    }

    @Test func `a hold that waits for another one fails once the program runs the consumer`() async throws {
        let store = try ChangeFeedTests.store()
        let waits = Mutex(0)
        let options = Self.options { if case .waiting = $0 { waits.withLock { $0 += 1 } } }
        let holder = try await store.holdConsumer("one", options)
        let second = Task { _ = try await store.holdConsumer("one", options) }
        while waits.withLock({ $0 }) == 0 { try await nextTurn() }
        let run = Task { try await store.consume("one", options) { (_: ChangeSet) in } }
        let error = await #expect(throws: StoreError.self) { try await second.value }
        #expect(error?.code == .inUse)
        withExtendedLifetime(holder) {}
        run.cancel()
        try await run.value
    }

    @Test func `a filter on a type that the store lacks is an error, and leaves no consumer behind`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let options = ConsumerOptions(only: FeedFilter(Account.self))
        let held = await #expect(throws: StoreError.self) { _ = try await store.holdConsumer("one", options) }
        let inStore = await #expect(throws: StoreError.self) { try await store.consume("one", options) { (_, _) in } }
        let elsewhere = await #expect(throws: StoreError.self) {
            try await store.consume("one", options) { (_: ChangeSet) in }
        }
        for error in [held, inStore, elsewhere] { #expect(error?.code == .unknownType) }
        #expect(try store.consumers().isEmpty)
        // The same holds for a consumer that exists.
        try await store.createConsumer("one", at: .newest)
        let known = await #expect(throws: StoreError.self) { _ = try await store.holdConsumer("one", options) }
        #expect(known?.code == .unknownType)
    }

    @Test func `a consumer that runs twice in one program is an error, until the first run has returned`() async throws
    {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Sensor.self)
        let same = try Store(at: directory.path, records: Sensor.self)
        let first = Task { try await store.consume("one", Self.options()) { (_: ChangeSet) in } }
        while try store.consumers().first?.isHeld != true { try await nextTurn() }
        let inStore = await #expect(throws: StoreError.self) { try await store.consume("one") { (_, _) in } }
        #expect(inStore?.code == .inUse)
        #expect(
            inStore?.text == """
                this program runs the consumer "one" already; give each consumer its own name, or wait until the first run \
                has returned
                """)
        let elsewhere = await #expect(throws: StoreError.self) {
            try await same.consume("one") { (_: ChangeSet) in }
        }
        #expect(elsewhere?.code == .inUse)
        let held = await #expect(throws: StoreError.self) { _ = try await store.holdConsumer("one", Self.options()) }
        #expect(held?.code == .inUse)
        let other = Task { try await same.consume("other", Self.options()) { (_: ChangeSet) in } }
        first.cancel()
        try await first.value
        let again = Task { try await same.consume("one", Self.options()) { (_: ChangeSet) in } }
        for consumer in [again, other] {
            consumer.cancel()
            try await consumer.value
        }
    }

    @Test func `a consumer that is created before its first start begins there, whatever its program asks for`()
        async throws
    {
        let store = try ChangeFeedTests.store()
        for number in 0..<3 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        let newest = try store.position
        let late = try await store.createConsumer("late", at: .newest)
        let lease = RetentionLease(changeSets: 7)
        let early = try await store.createConsumer("early", at: .after(sequence: 1), lease: lease)
        #expect(late == newest && early.sequence == 1)
        let consumers = try store.consumers()
        #expect(consumers.map(\.name) == ["early", "late"] && consumers.map(\.lag) == [newest.sequence - 1, 0])
        #expect(consumers[0].lease == lease && consumers.allSatisfy { !$0.isHeld })
        try await store.write { try $0.insert(ChangeFeedTests.sensor(9)) }
        let seen = Seen()
        let consuming = Task { try await store.consume("late", Self.options()) { seen.note($0) } }
        try await store.wait(forConsumer: "late", toPass: store.position)
        consuming.cancel()
        try await consuming.value
        #expect(seen.sequences == [newest.sequence + 1])
        var invalid = lease
        invalid.changeSets = -1
        for (name, lease, code) in [
            ("late", lease, StoreError.Code.consumerExists), ("", lease, .invalidValue), ("a#b", lease, .invalidValue),
            ("other", invalid, .invalidValue),
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await store.createConsumer(name, at: .oldest, lease: lease)
            }
            #expect(error?.code == code)
        }
        #expect(try store.consumers().count == 2)
    }

    /// The change sets that a consumer received.
    private final class Seen: Sendable {
        private let noted = Mutex<[UInt64]>([])

        var sequences: [UInt64] { noted.withLock { $0 } }

        func note(_ set: ChangeSet) { noted.withLock { $0.append(set.sequence) } }
    }

    private struct Refusal: Error {}

    @Test func `a change set that keeps failing ends the consumer, or is left out and counted`() async throws {
        let store = try ChangeFeedTests.store()
        for number in 0..<30 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number, room: "r")) } }
        @Sendable func body(_ set: ChangeSet, _ tx: inout WriteTransaction) throws {
            try Self.addUp(set, &tx)
            if try set.changes(of: Sensor.self).contains(where: { $0.id == "s17" }) { throw Refusal() }
        }
        let tries = Mutex(0)
        var options = Self.options { if case .failed = $0 { tries.withLock { $0 += 1 } } }
        let ends = Mutex<[String]>([])
        let onEvent = options.onEvent
        options.onEvent = { event in
            onEvent(event)
            if case .gaveUp(let sequence, let error) = event { ends.withLock { $0.append("\(sequence) \(error)") } }
        }
        let error = await #expect(throws: StoreError.self) { try await store.consume("strict", options, body) }
        #expect(error?.cause is Refusal)
        let position = try #require(try store.consumers().first?.position.sequence)
        let given = try #require(error)
        #expect(ends.withLock { $0 } == ["\(position + 1) \(given)"])
        #expect(tries.withLock { $0 } == 4)
        // The consumer has handled everything before it.
        #expect(try Self.count(store, "r") == 17)

        options.failurePolicy = .skip
        let strict = options
        let consuming = Task { try await store.consume("strict", strict, body) }
        while try Self.count(store, "r") < 29 { try await nextTurn() }
        consuming.cancel()
        try await consuming.value
        #expect(try Self.count(store, "r") == 29)
        #expect(try store.consumers().first?.skippedCount == 1)
    }

    @Test func `an acknowledgement is part of its write, and refused twice or from an earlier generation`() async throws
    {
        let store = try ChangeFeedTests.store()
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        let consumer = try await store.holdConsumer("manual", Self.options())
        var changes = consumer.changes.makeAsyncIterator()
        let sets = try await ChangeFeedTests.take(try Int(store.position.sequence), &changes)
        let last = try #require(sets.last)
        let before = try consumer.position
        await #expect(throws: Refusal.self) {
            try await store.write { tx in
                try consumer.acknowledge(last, in: &tx)
                throw Refusal()
            }
        }
        #expect(try consumer.position == before)
        let head = try store.position
        try await store.write { tx in try consumer.acknowledge(last, in: &tx) }
        #expect(try consumer.position == last.position)
        #expect(try store.position == head, "an acknowledgement is no change")
        func code(_ body: () async throws -> Void) async -> StoreError.Code? {
            do {
                try await body()
                return nil
            } catch { return (error as? StoreError)?.code }
        }
        #expect(await code { try await consumer.acknowledge(last) } == .consumerLost)
        try await store.resetConsumer("manual", to: .oldest)
        #expect(await code { try await consumer.acknowledge(last) } == .consumerLost)
        try await store.deleteConsumer("manual")
        #expect(await code { try await consumer.acknowledge(last) } == .consumerNotFound)
        #expect(try store.consumers().isEmpty)
    }

    @Test func `retention keeps what a lease covers, and a consumer past its lease expires`() async throws {
        var storeOptions = StoreOptions()
        storeOptions.limits.retainedChangeSets = 10
        let store = try ChangeFeedTests.store(storeOptions)
        var options = Self.options()
        options.lease = RetentionLease(changeSets: 50)
        _ = try await store.holdConsumer("slow", options)
        options.lease = .none
        _ = try await store.holdConsumer("free", options)
        for number in 0..<40 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        func expired() throws -> [String] { try store.consumers().filter(\.isExpired).map(\.name) }
        #expect(try expired() == ["free"])
        let slow = try #require(try store.consumers().last?.position)
        var feed = store.changes(since: slow).makeAsyncIterator()
        #expect(try await ChangeFeedTests.take(40, &feed).count == 40)
        for number in 40..<60 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        #expect(try expired() == ["free", "slow"])
        #expect(try store.feedRange.count == 11)
        let expiry = options
        await #expect(throws: StoreError.self) { try await store.consume("slow", expiry) { (_: ChangeSet) in } }
        try await store.resetConsumer("slow", to: .newest)
        #expect(try expired() == ["free"])
    }

    @Test func `a consumer that wants nothing of what is written moves on all the same`() async throws {
        let store = try ChangeFeedTests.store()
        var options = Self.options()
        options.start = .after(try store.position)
        options.feed.filters = [FeedFilter(Account.self)]
        let picky = options
        let consuming = Task {
            try await store.consume("picky", picky) { (_: ChangeSet) in Issue.record("it was given something") }
        }
        try await Self.fill(store, 300)
        let newest = try store.position.sequence
        // The consumer records its progress occasionally, and the rest when it ends.
        while try store.consumers().first?.position.sequence ?? 0 < 256 { try await nextTurn() }
        consuming.cancel()
        try await consuming.value
        #expect(try store.consumers().map(\.lag).allSatisfy { $0 < 256 })
        #expect(try store.position.sequence == newest, "acknowledging has made a change set")
    }

    @Test func `effects elsewhere are noted once nothing waits, and those left out are counted`() async throws {
        let store = try ChangeFeedTests.store()
        for number in 0..<5 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        var options = Self.options()
        options.failurePolicy = .skip
        let skipping = options
        let consuming = Task {
            try await store.consume("elsewhere", skipping) { (set: ChangeSet) in
                if try set.changes(of: Sensor.self).contains(where: { $0.id == "s1" || $0.id == "s3" }) {
                    throw Refusal()
                }
            }
        }
        // The consumer keeps waiting. It records its progress without any further commit.
        try await Self.settle(store, "elsewhere")
        #expect(try store.consumers().map(\.lag) == [0])
        #expect(try store.consumers().map(\.skippedCount) == [2])
        consuming.cancel()
        try await consuming.value
        #expect(try store.consumers().map(\.skippedCount) == [2])
    }

    @Test(arguments: [false, true])
    func `a consumer that expires while it is held ends with that error and event`(isInStore: Bool) async throws {
        var storeOptions = StoreOptions()
        storeOptions.limits.retainedChangeSets = 10
        let store = try ChangeFeedTests.store(storeOptions)
        let start = try store.position
        let events = Mutex<[Position]>([])
        var options = Self.options { if case .expired(let position) = $0 { events.withLock { $0.append(position) } } }
        options.start = .after(start)
        options.lease = .none
        options.failurePolicy = .skip
        if isInStore { options.sleep = { _ in try await Self.fill(store, 40) } }
        let expiring = options
        let error = await #expect(throws: StoreError.self) {
            let consuming = Task {
                if isInStore {
                    try await store.consume("late", expiring) { (_: ChangeSet, _: inout WriteTransaction) in
                        throw Refusal()
                    }
                } else {
                    try await store.consume("late", expiring) { (_: ChangeSet) in try await Self.fill(store, 40) }
                }
            }
            while try store.consumers().first?.isHeld != true { try await nextTurn() }
            try await Self.fill(store, 1)
            try await consuming.value
        }
        #expect(error?.code == .consumerExpired)
        #expect(events.withLock { $0 } == [start])
    }

    @Sendable private static func fill(_ store: Store, _ count: Int) async throws {
        for number in 0..<count {
            try await store.write {
                try $0.upsert(ChangeFeedTests.sensor(1, celsius: Double(number) + .random(in: 0..<1)))
            }
        }
    }

    @Test func `who holds a consumer that was deleted keeps nobody else waiting, and moves no namesake`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        let old = try await store.holdConsumer("a", Self.options())
        var changes = old.changes.makeAsyncIterator()
        let set = try #require(try await changes.next())
        try await store.deleteConsumer("a")
        // If these calls waited for the old holder, the suite's time limit would end the test.
        let other = try await store.holdConsumer("b", Self.options())
        let namesake = try await store.holdConsumer("a", Self.options())
        let error = await #expect(throws: StoreError.self) { try await old.acknowledge(set) }
        #expect(error?.code == .consumerLost)
        try await namesake.acknowledge(set)
        withExtendedLifetime(other) {}
    }

    @Test func `who takes a consumer over has a generation of its own`() async throws {
        let store = try ChangeFeedTests.store()
        let generations = Mutex<[UInt64]>([])
        let options = Self.options { event in
            if case .active(let generation, _) = event { generations.withLock { $0.append(generation) } }
        }
        for _ in 0..<3 { _ = try await store.holdConsumer("one", options) }
        let all = generations.withLock { $0 }
        #expect(all.count == 3 && Set(all).count == 3)
    }
}
