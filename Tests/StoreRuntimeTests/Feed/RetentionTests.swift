import Foundation
import LMDB
import StoreEngine
import Testing

@testable import StoreRuntime

/// Which change sets retention keeps, and how much space the feed takes.
@Suite struct RetentionTests {
    private static func write(_ count: Int, to store: Store) throws {
        for number in 0..<count {
            try store.write { tx in
                try tx.upsert(
                    Sensor(id: "s\(number % 10)", room: "r", serial: "A-\(number % 10)", celsius: Double(number)))
            }
        }
    }

    /// Runs retention steps until there is nothing left to remove, as the writer thread does during upkeep.
    private static func trim(_ store: Store) throws {
        let core = store.core
        while try core.perform({ try core.retention.step() }) {}
    }

    @Test func `change sets leave the feed when they are older than allowed`() throws {
        let clock = StandingClock()
        var options = StoreOptions()
        options.clock = { clock.now }
        options.limits.retainedAge = .seconds(60)
        let store = try Store.temporary(records: Sensor.self, options: options)
        try Self.write(20, to: store)
        clock.pass(50)
        try Self.write(30, to: store)
        let newest = try store.position.sequence
        try Self.trim(store)
        #expect(try store.feedRange.lowerBound == 0, "nothing is too old yet")
        clock.pass(20)
        try Self.trim(store)
        #expect(try store.feedRange == (newest - 30)...newest)
        // Retention always keeps the newest change set, whatever its age.
        clock.pass(1_000)
        try Self.trim(store)
        #expect(try store.feedRange == (newest - 1)...newest)
        _ = try store.verify { finding in Issue.record("\(finding)") }
    }

    @Test(arguments: [false, true])
    func `change sets leave by age in a store that nobody writes to, and in one that is written to without rest`(
        isBusy: Bool
    ) throws {
        let clock = StandingClock()
        var options = StoreOptions()
        options.durability = .relaxed
        options.clock = { clock.now }
        options.limits.retainedAge = .seconds(60)
        options.upkeepSeconds = 0.02
        let store = try Store.temporary(records: Sensor.self, options: options)
        try Self.write(20, to: store)
        let old = try store.position.sequence
        clock.pass(61)
        // Retention runs on the writer thread, and gives no event.
        let deadline = Date(timeIntervalSinceNow: 240)
        while try store.feedRange.lowerBound < old - 1, Date.now < deadline {
            if isBusy { try Self.write(1, to: store) } else { usleep(1_000) }
        }
        let range = try store.feedRange
        #expect(isBusy ? range.lowerBound >= old : range == (old - 1)...old, "\(range)")
    }

    @Test func `what was written while the clock was fast leaves with what was written after it`() throws {
        let clock = StandingClock()
        var options = StoreOptions()
        options.clock = { clock.now }
        options.limits.retainedAge = .seconds(60)
        let store = try Store.temporary(records: Sensor.self, options: options)
        try Self.write(10, to: store)
        clock.pass(1_000_000)
        try Self.write(40, to: store)
        clock.pass(-1_000_000)
        let fast = try store.position.sequence
        try Self.write(200, to: store)
        clock.pass(50)
        try Self.trim(store)
        #expect(try store.feedRange.lowerBound < fast - 40, "nothing is too old yet")
        try Self.write(1, to: store)
        clock.pass(20)
        let newest = try store.position.sequence
        try Self.trim(store)
        #expect(try store.feedRange == (newest - 1)...newest)
    }

    @Test func `a consumer that was made where nothing is retained expires, and holds nothing`() throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = 16
        let store = try Store.temporary(records: Sensor.self, options: options)
        let early = try store.position
        try Self.write(200, to: store)
        try Self.trim(store)
        #expect(try store.feedRange.lowerBound > early.sequence)
        try store.write { tx in _ = try tx.makeConsumer(named: "late", at: early, lease: RetentionLease()) }
        try Self.write(200, to: store)
        try Self.trim(store)
        #expect(try store.consumers().map(\.isExpired) == [true])
        #expect(try store.feedRange.count <= 18)
    }

    @Test func `opening a store for writing removes what has become too old meanwhile`() throws {
        let folder = try StoreFolder()
        let clock = StandingClock()
        var options = StoreOptions()
        options.clock = { clock.now }
        options.limits.retainedAge = .seconds(60)
        let first = try Store(at: folder.path, records: Sensor.self, options: options)
        try Self.write(20, to: first)
        first.close()
        clock.pass(61)
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        // This task runs after the retention step that opening the store requested.
        try store.core.perform {}
        #expect(try store.feedRange.count == 2)
    }

    @Test func `the feed takes about as many bytes as allowed`() throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedFeedByteCount = 200_000
        let store = try Store.temporary(records: Sensor.self, options: options)
        try Self.write(3_000, to: store)
        func byteCount() throws -> Int {
            let transaction = try store.beginRead()
            return try FeedRetention.byteCount(store.core.state.databases, transaction._reading.snapshot)
        }
        let before = try byteCount()
        try Self.trim(store)
        let after = try byteCount()
        #expect(before > 300_000 && after <= 210_000 && after > 100_000, "\(before), then \(after)")
        let range = try store.feedRange
        #expect(range.lowerBound > 500 && range.upperBound - range.lowerBound > 500, "\(range)")
    }

    @Test(arguments: [0, 100]) func `step after step, no more leaves the feed than what its bytes take past the limit`(
        changedRecordLimit: Int
    ) throws {
        let folder = try StoreFolder()
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.changedRecordLimit = changedRecordLimit
        let first = try Store(at: folder.path, records: Sensor.self, options: options)
        // The excess is more than two steps can remove.
        try Self.write(9_000, to: first)
        func byteCount(_ store: Store) throws -> Int {
            let transaction = try store.beginRead()
            return try FeedRetention.byteCount(store.core.state.databases, transaction._reading.snapshot)
        }
        let before = try byteCount(first)
        first.close()
        options.limits.retainedFeedByteCount = before * 2 / 5
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        try Self.trim(store)
        let after = try byteCount(store)
        #expect(after <= before * 42 / 100 && after > before * 3 / 10, "\(before), then \(after)")
        let range = try store.feedRange
        #expect((2_800...3_700).contains(range.count), "\(range)")
    }

    @Test func `what a consumer keeps costs writers no further commit, and leaves once it has moved on`() async throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = 160
        let store = try Store.temporary(records: Sensor.self, options: options)
        let consumer = try await store.holdConsumer("slow")
        try Self.write(400, to: store)
        // This task runs after the step that the last of these writes requested.
        try store.core.perform {}
        let before = try store.environmentInfo().lastTransactionID
        // Eight writes are too few for retention to check again.
        try Self.write(8, to: store)
        try store.core.perform {}
        #expect(try store.environmentInfo().lastTransactionID == before + 8)
        try Self.trim(store)
        #expect(
            try store.environmentInfo().lastTransactionID == before + 8, "a step that removes nothing commits nothing")
        #expect(try store.feedRange.lowerBound == consumer.firstPosition.sequence)
        var changes = consumer.changes.makeAsyncIterator()
        for number in 1...400 {
            let set = try #require(try await changes.next())
            if number == 400 { try await consumer.acknowledge(set) }
        }
        try Self.write(20, to: store)
        try store.core.perform {}
        #expect(try store.feedRange.count <= 160 + 160 / 8 + 1)
    }

    @Test func `a store that is written to for long takes no more room in the end than early on`() throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = 500
        let store = try Store.temporary(records: Sensor.self, options: options)
        try Self.write(2_000, to: store)
        let early = try store.environmentInfo().lastPage
        try Self.write(12_000, to: store)
        let late = try store.environmentInfo().lastPage
        #expect(late <= early + early / 4, "\(early) pages, then \(late)")
        #expect(try store.feedRange.count <= 500 + 500 / 8 + 1)
    }
}
