import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LMDB

/// Lookups that a read transaction does without LMDB, compared with a dictionary and with LMDB.
///
/// `MODELSTORE_SEED` repeats a failed seed; `MODELSTORE_LONG=1` runs a thousand.
@Suite(.enabled(if: LMDBEnvironment.readsPagesDirectly))
struct MappedTreeTests {
    private static let seeds: ClosedRange<UInt64> = {
        if let seed = ProcessInfo.processInfo.environment["MODELSTORE_SEED"].flatMap(UInt64.init) { return seed...seed }
        return TestLength.seeds(20, long: 1_000)
    }()

    @Test
    func `Each key has the value that was put last, in trees of all forms`() throws {
        for seed in Self.seeds {
            var history = try TreeHistory(seed: seed)
            for _ in 0..<4 {
                try history.commit()
                let mismatch = try history.mismatch()
                if let mismatch {
                    Issue.record("MODELSTORE_SEED=\(seed): \(mismatch)")
                    return
                }
            }
        }
    }

    @Test
    func `A snapshot keeps what it found while pages are written anew`() throws {
        let store = try TemporaryStore()
        let keys = (0..<5_000).map { "key \($0)" }
        try store.environment.store(keys.map { ($0, "old") })
        let transaction = try store.environment.beginRead()
        for _ in 0..<5 { #expect(try transaction.snapshot.value("key 7") == "old") }
        for round in 0..<3 { try store.environment.store(keys.map { ($0, "new \(round)") }) }
        for key in keys { #expect(try transaction.snapshot.value(key) == "old") }
        for key in keys { #expect(try store.environment.value(key) == "new 2") }
    }

    @Test
    func `What is known of a snapshot does not outlive the map`() throws {
        let store = try TemporaryStore(LMDBEnvironment.Options(mapSize: 1 << 20, syncs: false))
        try store.environment.store((0..<500).map { ("key \($0)", "value \($0)") })
        for round in 1...20 {
            let before = store.environment.mapNumber.load(ordering: .relaxed)
            do {
                let transaction = try store.environment.beginRead()
                for number in 0..<500 { #expect(try transaction.snapshot.value("key \(number)") == "value \(number)") }
            }
            try store.environment.grow(to: (1 << 20) * (round + 1), waitingAtMost: 1)
            #expect(store.environment.mapNumber.load(ordering: .relaxed) == before + 1)
        }
    }

    @Test
    func `A database that takes the place of a dropped one is searched in its own tree`() throws {
        let store = try TemporaryStore()
        for round in 0..<5 {
            let name = "database \(round)"
            try store.environment.store((0..<300).map { ("key \($0)", "\(round)") }, in: name)
            for number in 0..<300 {
                #expect(try store.environment.value("key \(number)", in: name) == "\(round)")
            }
            var transaction = try store.environment.beginWrite()
            try transaction.drop(transaction.database(name))
            try transaction.commit()
            #expect(try store.environment.value("key 1", in: name) == nil)
        }
    }

    /// The test erases the root between two searches, so a search that starts at the root finds nothing.
    @Test
    func `Keys that come in order are searched for from the leaf of those before`() throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        let entries = (10_000..<16_000).map { ("\($0)", "\($0)" + String(repeating: " ", count: 200)) }
        try environment.store(entries)
        let transaction = try environment.beginRead()
        let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
        var values = FoundValues()
        let batches = stride(from: 1_000, to: 1_208, by: 16).map { $0..<$0 + 16 }
        for range in batches {
            let found = KeyBatch(entries[range].map(\.0.bytes)).find(database, transaction.snapshot, with: &values)
            #expect(found == entries[range].map(\.1.bytes))
            if range == batches[0] { try Self.takeRoot(of: database, transaction.snapshot, directory.path) }
        }
        let farther = KeyBatch(entries[4_000..<4_016].map(\.0.bytes))
        #expect(farther.find(database, transaction.snapshot, with: &values).allSatisfy { $0 == nil })
    }

    /// Writes zeros over the root of a tree.
    private static func takeRoot(
        of database: LMDBDatabase, _ snapshot: borrowing LMDBSnapshot, _ path: String
    ) throws {
        let context = unsafe snapshot.context.takeUnretainedValue()
        let root = try #require(context.tree(of: database, lookups: 1)).root
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/data.mdb"))
        try file.seek(toOffset: root * 4_096)
        try file.write(contentsOf: Data(count: 4_096))
        try file.close()
    }

    /// All pages are changed, except those with which LMDB opens the file. No search may crash, or find an entry with a different
    /// key.
    @Test
    func `Damaged pages lead to nothing that crashes`() throws {
        for seed in Self.seeds {
            var random = TestRandom(seed: seed)
            let directory = try TemporaryDirectory()
            let keys = (0..<3_000).map { "\($0)" }
            do {
                let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
                defer { environment.close() }
                try environment.store(keys.map { ($0, "value of \($0)") })
            }
            try Self.damage(directory.path, &random)
            let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
            defer { environment.close() }
            let transaction = try environment.beginRead()
            guard let database = try transaction.snapshot.openDatabase(named: "test") else { continue }
            var values = FoundValues()
            for start in stride(from: 0, to: keys.count, by: 16) {
                let batch = KeyBatch(keys[start..<min(start + 16, keys.count)].map(\.bytes))
                _ = batch.find(database, transaction.snapshot, with: &values)
                Self.walk(database, transaction.snapshot, from: keys[start].bytes)
            }
        }
    }

    /// Walks in either direction from the entry that a search finds.
    private static func walk(_ database: LMDBDatabase, _ snapshot: borrowing LMDBSnapshot, from key: [UInt8]) {
        let context = unsafe snapshot.context.takeUnretainedValue()
        guard let tree = context.tree(of: database, lookups: MappedTrees.patience + 1),
            let leaf = unsafe key.withUnsafeBytes({ unsafe tree.path(to: $0)?.last }),
            let entry = unsafe MappedPage.entry(leaf.number, of: leaf.page)
        else { return }
        for step in [1, -1] {
            guard var walk = unsafe MappedWalk(tree, at: MappedPage.key(entry)) else { continue }
            while case .entry(let key, let value) = walk.move(by: step) {
                // The comparison reads all bytes, which must not crash.
                #expect(unsafe key.elementsEqual(key) && value.elementsEqual(value))
            }
        }
    }

    /// Changes bytes of the file, but not its meta pages and the root of the main database.
    private static func damage(_ path: String, _ random: inout TestRandom) throws {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var bytes = try [UInt8](Data(contentsOf: file))
        let spared = (0..<2).map { Int(truncatingIfNeeded: bytes.integer(at: $0 * 4_096 + 128, as: UInt64.self)) }
        let pages = (2..<bytes.count / 4_096).filter { !spared.contains($0) }
        for page in pages where random.chance(50) {
            // In most cases, the changes are where a page's header and offsets are.
            let end = random.chance(70) ? 128 : 4_096
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[page * 4_096 + Int.random(in: 0..<end, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
        }
        try Data(bytes).write(to: file)
    }
}
