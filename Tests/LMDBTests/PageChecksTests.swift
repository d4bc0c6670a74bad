import Foundation
import Testing

@testable import LMDB

/// Damage that LMDB itself would not notice, and would carry into other pages. `DamagedFileTests` damages files at random.
@Suite
struct PageChecksTests {
    private static let keys = (0..<400).map { "key \(10_000 + $0)" }

    @Test
    func `an entry that left the list of its page is missed`() throws {
        try expectDamage { pages in
            pages.dropLastEntry(of: try pages.leaf(of: "key 10010"))
        } found: { transaction in
            try transaction.requireSoundTest()
        }
    }

    @Test
    func `two equal keys in a page are damage`() throws {
        try expectDamage { pages in
            try pages.replace("key 10010", by: "key 10011")
        } found: { transaction in
            try transaction.requireSoundTest()
        }
    }

    @Test
    func `a page under the number of another one is damage`() throws {
        try expectDamage { pages in
            let leaf = try pages.leaf(of: "key 10010")
            pages.setNumber(of: leaf, to: leaf + 1)
        } found: { transaction in
            try transaction.requireSoundTest()
        }
    }

    @Test
    func `a key past the beginning of the next page is damage`() throws {
        try expectDamage { pages in
            let leaf = try pages.leaf(of: "key 10010")
            try #require(try leaf != pages.leaf(of: "key 10399"))
            pages.setLastKey(of: leaf, byte: UInt8(ascii: "z"), at: 2)
        } found: { transaction in
            try transaction.requireSoundTest()
        }
    }

    @Test
    func `a page that two commits freed is damage`() throws {
        try expectDamage { pages in
            try #require(pages.entryCount(of: pages.freeRoot) > 1)
            let page = pages.freePage(inEntry: 0)
            pages.setFreePage(page, inEntry: 0)
            pages.setFreePage(page, inEntry: 1)
        } found: { transaction in
            try transaction.snapshot.requireSoundFreeList()
        }
    }

    /// LMDB gives the numbers of a record as they are, and sums of them would overflow.
    @Test
    func `a number of leaves that no file can have is damage, also in a write`() throws {
        let directory = try Self.makeStore()
        var pages = try DataPages(directory.path)
        try pages.setLeafCount(ofDatabase: "test", to: 1 << 60)
        try pages.write()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        let error = #expect(throws: LMDBError.self) { _ = try transaction.snapshot.statistics(of: database) }
        transaction.abort()
        #expect(error?.code == .damaged)
    }

    /// LMDB ends the process when it opens a cursor on a free list that could have several values for a key.
    @Test(arguments: [0x0C, 0x00, 0x0A])
    func `a free list whose keys are of another kind is damage, and a write notices it`(flags: Int) throws {
        let directory = try Self.makeStore()
        var pages = try DataPages(directory.path)
        pages.setFreeListFlags(to: flags)
        try pages.write()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        let error = #expect(throws: LMDBError.self) { _ = try environment.beginWrite() }
        #expect(error?.code == .damaged)
    }

    @Test
    func `a write notices that a page in use is free, and cannot be committed`() throws {
        let directory = try Self.makeStore()
        var pages = try DataPages(directory.path)
        pages.setFreePage(try pages.leaf(of: "key 10390"), inEntry: 0)
        try pages.write()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        let error = #expect(throws: LMDBError.self) { try transaction.put(database, "key 10010", "new") }
        #expect(error?.code == .damaged)
        do {
            try transaction.commit()
            Issue.record("a transaction whose write failed is committed")
        } catch {
            #expect(error.code == .badTransaction)
        }
    }

    /// A deletion may merge a leaf with its neighbour. LMDB then reads the leaf behind the neighbour. In large trees, a write
    /// checks only the pages that it may reach.
    @Test
    func `a deletion in a large tree checks the leaf behind its neighbour, and an insertion does not`() throws {
        let directory = try TemporaryDirectory()
        let keys = (0..<6_000).map { "key \(10_000 + $0)" }
        try Self.write(directory.path) { environment in
            try environment.store(keys.map { ($0, String(repeating: "v", count: 800)) })
        }
        var pages = try DataPages(directory.path)
        let leaves = try keys[3_000..<3_020].map { (key: $0, leaf: try pages.leaf(of: $0)) }
        let first = leaves[0].leaf
        let others = leaves.map(\.leaf).filter { $0 != first }
        let behind = try #require(others.first { $0 != others[0] })
        pages.setFlags(of: behind, to: 0x40)
        try pages.write()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, leaves[0].key, String(repeating: "w", count: 800))
        let error = #expect(throws: LMDBError.self) {
            unsafe try transaction.delete(database, key: leaves[0].key.bytes.span.bytes)
        }
        transaction.abort()
        #expect(error?.code == .damaged)
    }

    /// Damages a closed store, opens it, and expects that a check finds the damage.
    private func expectDamage(
        _ damage: (inout DataPages) throws -> Void, found check: (borrowing LMDBReadTransaction) throws -> Void
    ) throws {
        let directory = try Self.makeStore()
        try Self.read(directory.path, check)
        var pages = try DataPages(directory.path)
        try damage(&pages)
        try pages.write()
        let error = #expect(throws: LMDBError.self) { try Self.read(directory.path, check) }
        #expect(error?.code == .damaged)
    }

    private static func read(_ path: String, _ body: (borrowing LMDBReadTransaction) throws -> Void) throws {
        let environment = try LMDBEnvironment.open(at: path, options: .test)
        defer { environment.close() }
        try body(environment.beginRead())
    }

    private static func write(_ path: String, _ body: (LMDBEnvironment) throws -> Void) throws {
        let environment = try LMDBEnvironment.open(at: path, options: .test)
        defer { environment.close() }
        try body(environment)
    }

    /// Makes a store with a tree of some leaves, in which two commits freed pages.
    private static func makeStore() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try write(directory.path) { environment in
            try environment.store(keys.map { ($0, "value") })
            // With a snapshot, the freed pages are not used again.
            let reader = try environment.beginRead()
            for key in ["first", "second", "third"] { try environment.store([(key, "value")], in: "other") }
            withExtendedLifetime(reader.snapshot.transactionID) {}
        }
        return directory
    }
}

extension LMDBReadTransaction {
    /// Checks all pages of the database `test`.
    fileprivate borrowing func requireSoundTest() throws {
        let database = try #require(try snapshot.openDatabase(named: "test"))
        try snapshot.requireSoundPages(of: database)
    }
}
