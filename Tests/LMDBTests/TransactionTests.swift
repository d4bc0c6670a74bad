import LMDB
import Testing

@Suite
struct TransactionTests {
    @Test
    func `What a transaction commits, later snapshots read`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1"), ("b", "2")])
        #expect(try store.environment.value("a") == "1")
        #expect(try store.environment.value("b") == "2")
        #expect(try store.environment.value("c") == nil)
    }

    @Test
    func `A snapshot keeps its state while commits come in`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "old")])
        let transaction = try store.environment.beginRead()
        let before = transaction.snapshot.transactionID
        try store.environment.store([("a", "new")])
        #expect(try transaction.snapshot.value("a") == "old")
        #expect(transaction.snapshot.transactionID == before)
        #expect(try store.environment.value("a") == "new")
    }

    @Test
    func `An aborted transaction and one that goes out of scope leave nothing`() throws {
        let store = try TemporaryStore()
        var aborted = try store.environment.beginWrite()
        let database = try aborted.database()
        try aborted.put(database, "a", "1")
        aborted.abort()
        do {
            var dropped = try store.environment.beginWrite()
            let database = try dropped.database()
            try dropped.put(database, "b", "1")
        }
        #expect(try store.environment.value("a") == nil)
        #expect(try store.environment.value("b") == nil)
    }

    @Test
    func `A child transaction is undone alone`() throws {
        let store = try TemporaryStore()
        var parent = try store.environment.beginWrite()
        let database = try parent.database()
        try parent.put(database, "parent", "1")
        var first = try parent.beginChild()
        try first.put(database, "first", "1")
        try first.commit()
        var second = try parent.beginChild()
        try second.put(database, "second", "1")
        second.abort()
        try parent.commit()
        #expect(try store.environment.value("parent") == "1")
        #expect(try store.environment.value("first") == "1")
        #expect(try store.environment.value("second") == nil)
    }

    @Test
    func `A cursor scans both ways and seeks`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1"), ("c", "3"), ("e", "5")])
        let transaction = try store.environment.beginRead()
        let snapshot = transaction.snapshot
        let database = try #require(try snapshot.openDatabase(named: "test"))
        var cursor = try snapshot.openCursor(database)
        var keys: [String] = []
        while try cursor.next() { keys.append(String(cursor.key)) }
        while try cursor.previous() { keys.append(String(cursor.key)) }
        #expect(keys == ["a", "c", "e", "e", "c", "a"])
        #expect(try cursor.seek(atLeast: "b"))
        #expect(String(cursor.key) == "c")
        #expect(String(cursor.value) == "3")
        #expect(try !cursor.seek(exactly: "b"))
        #expect(try !cursor.seek(atLeast: "f"))
        #expect(try cursor.previous())
        #expect(String(cursor.key) == "e")
    }

    @Test
    func `A cursor that stands on no entry has an empty key and value`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1"), ("b", "")])
        let transaction = try store.environment.beginRead()
        let snapshot = transaction.snapshot
        let database = try #require(try snapshot.openDatabase(named: "test"))
        var cursor = try snapshot.openCursor(database)
        #expect(cursor.key.isEmpty && cursor.value.isEmpty)
        #expect(try cursor.last())
        #expect(String(cursor.key) == "b" && cursor.value.isEmpty)
        #expect(try !cursor.next())
        #expect(cursor.key.isEmpty && cursor.value.isEmpty)
        #expect(try !cursor.next(), "it stays behind the last")
    }
}
