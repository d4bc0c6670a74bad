import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LMDB

/// Lookups in the pages of a snapshot, compared with a dictionary.
///
/// `MODELSTORE_SEED` repeats a failed seed; `MODELSTORE_LONG=1` runs a thousand.
@Suite
struct MappedTreeTests {
    private static let seeds = TestLength.seeds(12, long: 1_000)

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
    func `A snapshot stays readable while the file outgrows the map`() throws {
        let store = try TemporaryStore()
        try store.environment.store((0..<500).map { ("key \($0)", "value \($0)") })
        let transaction = try store.environment.beginRead()
        let large = String(repeating: "x", count: 1 << 20)
        var last = 0
        for round in 1...6 {
            try store.environment.store((0..<10).map { ("large \(round) \($0)", large) })
            let size = try #require(store.environment.fileMap.withLock { $0?.byteCount })
            #expect(size >= last)
            last = size
            #expect(try store.environment.value("large \(round) 9") == large)
            for number in 0..<500 { #expect(try transaction.snapshot.value("key \(number)") == "value \(number)") }
        }
        #expect(last > 1 << 24)
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
        let root = try context.tree(of: database).root
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/data.mdb"))
        try file.seek(toOffset: root * 4_096)
        try file.write(contentsOf: Data(count: 4_096))
        try file.close()
    }

    /// All pages but the meta pages are changed. No search may crash.
    @Test
    func `Damaged pages lead to nothing that crashes`() throws {
        var counts = (found: 0, missed: 0, walked: 0)
        for seed in Self.seeds {
            var random = TestRandom(seed: seed)
            let directory = try TemporaryDirectory()
            let keys = (0..<3_000).map { "\($0)" }
            do {
                let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
                defer { environment.close() }
                try environment.store(keys.map { ($0, "value of \($0)") })
            }
            let fileByteCount = try Self.damage(directory.path, &random)
            guard let environment = try? LMDBEnvironment.open(at: directory.path, options: .test) else { continue }
            defer { environment.close() }
            let transaction = try environment.beginRead()
            guard let database = try? transaction.snapshot.openDatabase(named: "test") else { continue }
            var values = FoundValues()
            for start in stride(from: 0, to: keys.count, by: 16) {
                let wanted = keys[start..<min(start + 16, keys.count)]
                let found = KeyBatch(wanted.map(\.bytes)).find(database, transaction.snapshot, with: &values)
                let right = zip(wanted, found).count { $1 == "value of \($0)".bytes }
                counts.found += right
                counts.missed += wanted.count - right
                counts.walked += try Self.walk(
                    database, transaction.snapshot, from: keys[start].bytes, atMost: fileByteCount)
            }
        }
        // The damage changes some answers, and leaves others. Without both, the test would have tried nothing.
        #expect(counts.found > 0 && counts.missed > 0 && counts.walked > 0, "\(counts)")
    }

    /// Walks in either direction from the entry that a search finds, and reads all bytes of the entries.
    ///
    /// - Returns: the number of entries.
    private static func walk(
        _ database: LMDBDatabase, _ snapshot: borrowing LMDBSnapshot, from key: [UInt8], atMost fileByteCount: Int
    ) throws -> Int {
        let context = unsafe snapshot.context.takeUnretainedValue()
        // A tree without a sound root is refused.
        guard let tree = try? context.tree(of: database) else { return 0 }
        var count = 0
        for step in [1, -1] {
            let walk = unsafe MappedWalk.make(tree)
            defer { unsafe MappedWalk.free(walk) }
            guard case .entry = unsafe key.withUnsafeBytes({ unsafe walk.pointee.seek(exactly: $0) }) else { continue }
            while case .entry(let key, let value) = unsafe walk.pointee.move(by: step) {
                count += 1
                // Copying reads all bytes, which must not crash. An entry lies in the file.
                let copies = unsafe (key: Array(key), value: Array(value))
                guard copies.key.count + copies.value.count <= fileByteCount else {
                    throw Mismatch("an entry has \(copies.key.count) and \(copies.value.count) bytes")
                }
            }
        }
        return count
    }

    /// Changes bytes of the file, but not its meta pages.
    ///
    /// - Returns: the length of the file.
    private static func damage(_ path: String, _ random: inout TestRandom) throws -> Int {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var bytes = try [UInt8](Data(contentsOf: file))
        for page in 2..<bytes.count / 4_096 where random.chance(50) {
            // In most cases, the changes are where a page's header and offsets are.
            let end = random.chance(70) ? 128 : 4_096
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[page * 4_096 + Int.random(in: 0..<end, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
        }
        try Data(bytes).write(to: file)
        return bytes.count
    }
}
