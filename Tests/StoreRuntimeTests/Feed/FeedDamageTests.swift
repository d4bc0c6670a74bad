import Foundation
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// How readers, writers and retention handle a damaged feed.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct FeedDamageTests {
    private static func open(_ sample: SampleStore, _ change: (inout StoreLimits) -> Void = { _ in }) throws -> Store {
        var options = StoreOptions()
        options.durability = .relaxed
        change(&options.limits)
        return try Store(at: sample.folder.path, records: Sensor.self, Ticket.self, Slot.self, options: options)
    }

    /// Reads the feed twice from its oldest change set, and returns the sequence numbers and the error that ended each pass.
    private static func read(_ store: Store) throws -> (sequences: [UInt64], ends: [StoreError.Code?]) {
        let start = try store.read { try $0._reading.oldestPosition() }
        var tail = FeedTail(store, after: start, FeedOptions())
        var sequences: [UInt64] = []
        var ends: [StoreError.Code?] = []
        while ends.count < 2 {
            do {
                if let set = try tail.next() {
                    if set.isLastPart { sequences.append(set.sequence) }
                } else {
                    ends.append(nil)
                }
            } catch let error as StoreError {
                ends.append(error.code)
            }
        }
        return (sequences, ends)
    }

    @Test func `what lies before damage is read, and nothing after it`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = TestRandom(seed: seed)
        for _ in 0..<60 {
            let sample = try SampleStore()
            var damaged: UInt64 = 0
            try sample.folder.tamper { raw in
                let entries = try raw.snapshot.entries(of: SampleStore.feed)
                let entry = entries[Int.random(in: 0..<entries.count, using: &random)]
                damaged = entry.key[..<8].reduce(0) { $0 << 8 | UInt64($1) }
                var value = entry.value
                switch Int.random(in: 0..<4, using: &random) {
                case 0: value.removeLast(Int.random(in: 1...value.count - 1, using: &random))
                case 1: try raw.delete(SampleStore.feed, entry.key)
                default:
                    let bit = Int.random(in: 0..<value.count * 8, using: &random)
                    value[bit / 8] ^= 1 << UInt8(bit % 8)
                }
                if value != entry.value { try raw.put(SampleStore.feed, entry.key, value) }
            }
            let store = try Self.open(sample)
            // Change set 1 has no predecessor, so the reader has no position to start from.
            guard damaged > 1 else { continue }
            let (sequences, ends) = try Self.read(store)
            #expect(sequences == Array(1..<damaged), "seed \(seed)")
            #expect(ends == [.damaged, .damaged], "seed \(seed)")
            store.close()
        }
    }

    /// Puts the change sets of another store in the place of a store's own, from one sequence number on.
    private static func replace(_ sample: SampleStore, from sequence: UInt64) throws {
        let other = try SampleStore()
        var entries: [RawEntry] = []
        try other.folder.tamper { raw in
            entries = try raw.snapshot.entries(of: SampleStore.feed)
                .filter { !$0.key.lexicographicallyPrecedes(KeyBytes.fragment(sequence)) }
        }
        try sample.folder.tamper { raw in
            for entry in entries { try raw.put(SampleStore.feed, entry.key, entry.value) }
        }
    }

    @Test(arguments: 2...SampleStore.newest)
    func `a history that does not continue the sets before it has diverged`(from sequence: UInt64) throws {
        let sample = try SampleStore()
        try Self.replace(sample, from: sequence)
        let store = try Self.open(sample)
        defer { store.close() }
        let (sequences, ends) = try Self.read(store)
        #expect(sequences == Array(1..<sequence))
        #expect(ends == [.positionDiverged, .positionDiverged])
    }

    @Test(arguments: 2...SampleStore.newest)
    func `a history that is replaced while a reader waits between two sets has diverged for it`(
        from sequence: UInt64
    ) throws {
        let sample = try SampleStore()
        var store = try Self.open(sample)
        let position = try store.read { try $0._reading.position(at: sequence - 2) }
        var walk = FeedWalk(after: position)
        func read() throws -> [UInt64] {
            try store.read { try walk.read($0._reading, FeedWalk.Limits(changes: 10_000, changeSets: 1)) }
                .map(\.sequence)
        }
        #expect(try read() == [sequence - 1])
        store.close()
        try Self.replace(sample, from: sequence)
        store = try Self.open(sample)
        defer { store.close() }
        for _ in 0..<2 { #expect(storeError { _ = try read() }?.code == .positionDiverged) }
    }

    @Test func `retention goes past damage, and no write fails for it`() throws {
        for damaged in SampleStore.newest - 3...SampleStore.newest {
            let sample = try SampleStore()
            try sample.folder.tamper { raw in
                try raw.change(SampleStore.feed, KeyBytes.fragment(damaged)) { $0 = Array($0[..<12]) }
            }
            let clock = StandingClock()
            clock.pass(Date().timeIntervalSinceReferenceDate)
            var options = StoreOptions()
            options.durability = .relaxed
            options.clock = { clock.now }
            options.limits.retainedChangeSets = 8
            options.limits.retainedAge = .seconds(60)
            let store = try Store(
                at: sample.folder.path, records: Sensor.self, Ticket.self, Slot.self, options: options)
            try store.write { tx in
                let last = Position(store: tx._reading.state.identity, epoch: 0, sequence: damaged - 1, hash: 0)
                _ = try tx.makeConsumer(named: "slow", at: last, lease: RetentionLease())
            }
            for number in 0..<40 {
                try store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius = Double(number) + 100 } }
            }
            clock.pass(8 * 86_400)
            while try store.core.perform({ try store.core.retention.step() }) {}
            #expect(try store.feedRange.lowerBound > damaged)
            #expect(try store.consumers().map(\.isExpired) == [true])
            store.close()
        }
    }

    @Test func `a program's name that would not fit before the changes of an entry is refused`() throws {
        var options = StoreOptions()
        options.originName = String(repeating: "n", count: 256)
        let folder = try StoreFolder()
        let error = #expect(throws: StoreError.self) {
            _ = try Store(at: folder.path, records: Sensor.self, options: options)
        }
        #expect(error?.code == .invalidValue)
        options.originName.removeLast()
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        try store.write { tx in try tx.insert(Sensor(id: "s", room: "r", serial: "A", celsius: 1)) }
        #expect(try store.changeSet(2)?.origin.name == options.originName)
    }
}
