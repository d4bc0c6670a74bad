import Foundation
import LMDB
import StoreEngine
import Testing

@testable import StoreRuntime

/// What of the feed is retained, and what room it takes.
@Suite struct RetentionTests {
    private static func write(_ count: Int, to store: Store) throws {
        for number in 0..<count {
            try store.write { tx in
                try tx.upsert(
                    Sensor(id: "s\(number % 10)", room: "r", serial: "A-\(number % 10)", celsius: Double(number)))
            }
        }
    }

    /// Has steps made until there is nothing more to remove, as the writer thread does in its upkeep.
    private static func trim(_ store: Store) throws {
        let core = store.core
        while try core.perform({ try RetentionStep(core: core).run() }) {}
    }

    @Test func `change sets leave the feed when they are older than allowed`() throws {
        let clock = StandingClock()
        var options = StoreOptions()
        options.clock = { clock.now }
        options.limits.retainedSeconds = 60
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
        // The newest one stays, however old.
        clock.pass(1_000)
        try Self.trim(store)
        #expect(try store.feedRange == (newest - 1)...newest)
        _ = try store.verify { finding in Issue.record("\(finding)") }
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
