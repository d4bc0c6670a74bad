import Foundation
import Testing

@testable import LMDB

@Suite
struct DatabaseTests {
    @Test
    func `A snapshot finds the databases of its commit and no others`() throws {
        let store = try TemporaryStore()
        let before = try store.environment.beginRead()
        try store.environment.store([("a", "1")], in: "first")
        #expect(try before.snapshot.openDatabase(named: "first") == nil)
        #expect(try store.environment.value("a", in: "first") == "1")
        #expect(try store.environment.value("a", in: "second") == nil)
    }

    @Test
    func `Databases are there again after reopening`() throws {
        let directory = try TemporaryDirectory()
        for round in 0..<3 {
            let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
            for earlier in 0..<round { #expect(try environment.value("a", in: "db\(earlier)") == "\(earlier)") }
            try environment.store([("a", "\(round)")], in: "db\(round)")
            environment.close()
        }
    }

    @Test
    func `A database made in an aborted transaction is not there, and can be made again`() throws {
        let store = try TemporaryStore()
        var aborted = try store.environment.beginWrite()
        _ = try aborted.database("first")
        aborted.abort()
        #expect(try store.environment.value("a", in: "first") == nil)
        var parent = try store.environment.beginWrite()
        var child = try parent.beginChild()
        _ = try child.database("second")
        child.abort()
        let kept = try parent.database("third")
        try parent.put(kept, "a", "1")
        #expect(try parent.openDatabase(named: "second", create: false) == nil)
        try parent.commit()
        #expect(try store.environment.value("a", in: "third") == "1")
        #expect(try store.environment.value("a", in: "second") == nil)
        try store.environment.store([("a", "2")], in: "second")
        #expect(try store.environment.value("a", in: "second") == "2")
    }

    @Test
    func `A write transaction's snapshot finds what the transaction made`() throws {
        let store = try TemporaryStore()
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database("first")
        try transaction.put(database, "a", "1")
        #expect(try transaction.snapshot.value("a", in: "first") == "1")
        try transaction.commit()
    }

    @Test
    func `Many threads may look up new databases while others are made`() throws {
        let store = try TemporaryStore()
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for round in 0..<40 {
                #expect(throws: Never.self) {
                    if worker == 0 {
                        try store.environment.store([("a", "\(round)")], in: "db\(round)")
                    } else {
                        let value = try store.environment.value("a", in: "db\(round)")
                        #expect(value == nil || value == "\(round)")
                    }
                }
            }
        }
        for round in 0..<40 { #expect(try store.environment.value("a", in: "db\(round)") == "\(round)") }
    }

    @Test
    func `More databases than there are handles is an error`() throws {
        let store = try TemporaryStore(LMDBEnvironment.Options(maximumDatabases: 2, syncs: false))
        try store.environment.store([("a", "1")], in: "first")
        try store.environment.store([("a", "1")], in: "second")
        #expect(code { try store.environment.store([("a", "1")], in: "third") } == .databasesFull)
        #expect(try store.environment.value("a", in: "second") == "1")
    }

    @Test
    func `Emptying keeps a database, dropping removes it`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")], in: "first")
        try store.environment.store([("a", "1")], in: "second")
        var transaction = try store.environment.beginWrite()
        let first = try transaction.database("first")
        let second = try transaction.database("second")
        try transaction.empty(first)
        try transaction.drop(second)
        #expect(try transaction.openDatabase(named: "second", create: false) == nil)
        try transaction.commit()
        let reading = try store.environment.beginRead()
        #expect(try reading.snapshot.statistics(of: first).entries == 0)
        #expect(try reading.snapshot.openDatabase(named: "second") == nil)
        try store.environment.store([("b", "2")], in: "second")
        #expect(try store.environment.value("b", in: "second") == "2")
        #expect(try store.environment.value("a", in: "second") == nil)
    }

    @Test
    func `A drop that is aborted leaves the database`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")], in: "first")
        var transaction = try store.environment.beginWrite()
        let first = try transaction.database("first")
        try transaction.drop(first)
        transaction.abort()
        #expect(try store.environment.value("a", in: "first") == "1")
    }

    @Test
    func `A drop waits for this process's readers, and is refused in a child`() throws {
        let store = try TemporaryStore(LMDBEnvironment.Options(syncs: false, patienceSeconds: 0.01))
        try store.environment.store([("a", "1")], in: "first")
        let reading = try store.environment.beginRead()
        var transaction = try store.environment.beginWrite()
        let first = try transaction.database("first")
        #expect(code { try transaction.drop(first) } == .busy)
        var child = try transaction.beginChild()
        #expect(code { try child.drop(first) } == .badTransaction)
        child.abort()
        transaction.abort()
        #expect(try reading.snapshot.value("a", in: "first") == "1")
    }

    @Test
    func `The handle of a database that an aborted child made is forgotten`() throws {
        let store = try TemporaryStore()
        var parent = try store.environment.beginWrite()
        var child = try parent.beginChild()
        _ = try child.database("lost")
        child.abort()
        _ = try parent.database("kept")
        try parent.commit()
        store.environment.databases.withLock { databases in
            #expect(databases["lost"] == nil)
            #expect(databases["kept"] != nil)
        }
    }
}
