import Foundation
import Testing

@testable import LMDB

/// Entries that cursors of read transactions visit, mostly read directly from the map. See `MappedTreeTests` for trees of all
/// forms.
@Suite
struct MappedWalkTests {
    @Test
    func `A walk sees its own snapshot while pages are written anew`() throws {
        let store = try TemporaryStore()
        let keys = (0..<5_000).map { "key \(10_000 + $0)" }
        try store.environment.store(keys.map { ($0, "old") })
        let transaction = try store.environment.beginRead()
        let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
        var cursor = try transaction.snapshot.openCursor(database)
        var count = 0
        while try cursor.next() {
            if count % 500 == 0 { try store.environment.store(keys.map { ($0, "new \(count)") }) }
            #expect(String(cursor.value) == "old")
            count += 1
        }
        #expect(count == keys.count)
    }

    @Test
    func `A walk in a write transaction sees what that wrote`() throws {
        let store = try TemporaryStore()
        try store.environment.store((0..<2_000).map { ("key \(10_000 + $0)", "old") })
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        for number in stride(from: 0, to: 2_000, by: 2) {
            try transaction.put(database, "key \(10_000 + number)", "new")
        }
        var values: [String] = []
        do {
            var cursor = try transaction.snapshot.openCursor(database)
            while try cursor.next() { values.append(String(cursor.value)) }
        }
        transaction.abort()
        #expect(values == (0..<2_000).map { $0 % 2 == 0 ? "new" : "old" })
    }

    @Test
    func `A cursor goes from any entry to any other, and from a key that is not there to the next one`() throws {
        let store = try TemporaryStore()
        // The gaps lie also between the leaves: a leaf has some hundred of these entries.
        let numbers = Array(stride(from: 10_000, to: 30_000, by: 4))
        try store.environment.store(numbers.map { ("key \($0)", "value \($0)") })
        let transaction = try store.environment.beginRead()
        let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
        for distance in [1, 2, 150, 5_003, 9_998] {
            var cursor = try transaction.snapshot.openCursor(database)
            var wanted = 10_000
            for _ in 0..<5_000 {
                let expected = (wanted + 3) / 4 * 4
                let isThere = try cursor.seek(atLeast: "key \(wanted)")
                #expect(isThere == (expected < 30_000))
                if isThere { #expect(String(cursor.value) == "value \(expected)") }
                wanted = 10_000 + (wanted - 10_000 + distance) % 20_000
            }
        }
    }

    /// LMDB itself ends the process at such a page.
    @Test(arguments: [1, -1])
    func `A long walk to a damaged leaf ends with an error`(step: Int) throws {
        let directory = try TemporaryDirectory()
        let keys = (0..<3_000).map { "key \(10_000 + $0)" }
        do {
            let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
            defer { environment.close() }
            try environment.store(keys.map { ($0, "value") })
        }
        try Self.damageLeaf(with: "key 11500", directory.path)
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        let transaction = try environment.beginRead()
        let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
        var cursor = try transaction.snapshot.openCursor(database)
        var count = 0
        let error = #expect(throws: LMDBError.self) {
            while step > 0 ? try cursor.next() : try cursor.previous() { count += 1 }
        }
        #expect(error?.code == .damaged)
        #expect(1_000...1_500 ~= count)
    }

    /// Changes the flags of the page that contains a key.
    private static func damageLeaf(with key: String, _ path: String) throws {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var bytes = try Data(contentsOf: file)
        let found = try #require(bytes.range(of: Data(key.utf8)))
        bytes[found.lowerBound / 4_096 * 4_096 + 10] = 0x40
        try bytes.write(to: file)
    }
}
