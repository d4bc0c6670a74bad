import LMDB
import Testing

@Suite
struct SizeTests {
    private func key(_ count: Int) -> String { String(repeating: "k", count: count) }

    @Test(arguments: [1, 2, 510, 511])
    func `Keys of 1 to 511 bytes are stored and found`(count: Int) throws {
        let store = try TemporaryStore()
        try store.environment.store([(key(count), "value")])
        #expect(try store.environment.value(key(count)) == "value")
    }

    @Test(arguments: [0, 512, 513, 5000])
    func `Other keys are an error in every operation, not "not found"`(count: Int) throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        #expect(code { _ = try store.environment.value(key(count)) } == .keySize)
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        #expect(code { try transaction.put(database, key(count), "1") } == .keySize)
        #expect(code { _ = unsafe try transaction.delete(database, key: key(count).bytes.span.bytes) } == .keySize)
        let snapshot = transaction.snapshot
        var cursor = try snapshot.openCursor(database)
        var codes: [LMDBError.Code] = []
        do { _ = try cursor.seek(atLeast: key(count)) } catch { codes.append(error.code) }
        do { _ = try cursor.seek(exactly: key(count)) } catch { codes.append(error.code) }
        #expect(codes == [.keySize, .keySize])
    }

    @Test
    func `A refused key leaves its transaction usable, a child included`() throws {
        let store = try TemporaryStore()
        var parent = try store.environment.beginWrite()
        let database = try parent.database()
        var child = try parent.beginChild()
        #expect(code { try child.put(database, key(512), "1") } == .keySize)
        try child.put(database, "a", "1")
        try child.commit()
        try parent.commit()
        #expect(try store.environment.value("a") == "1")
    }

    @Test(arguments: [0, 1, 2027, 2031, 4081, 100_000, 5_000_000])
    func `Values of all sizes come back whole`(count: Int) throws {
        let store = try TemporaryStore()
        let value = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        try store.environment.store([("a", value), ("b", "neighbour")])
        #expect(try store.environment.value("a") == value)
        #expect(try store.environment.value("b") == "neighbour")
    }

    @Test
    func `Appending out of order is an error, and not overwriting says so`() throws {
        let store = try TemporaryStore()
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "b", "1", options: .append)
        try transaction.put(database, "c", "1", options: .append)
        #expect(code { try transaction.put(database, "a", "1", options: .append) } == .keyExists)
        #expect(try transaction.put(database, "b", "2", options: .noOverwrite) == false)
        #expect(try transaction.put(database, "d", "2", options: .noOverwrite) == true)
        #expect(try transaction.put(database, "c", "2", options: [.append, .noOverwrite]) == false)
        #expect(try transaction.put(database, "d", "2", options: [.append, .noOverwrite]) == false)
        #expect(try transaction.put(database, "e", "2", options: [.append, .noOverwrite]) == true)
        try transaction.commit()
        #expect(try store.environment.value("b") == "1")
    }

    @Test
    func `A closed store's copy is whole, and a compacting one is smaller`() throws {
        let store = try TemporaryStore()
        try store.environment.store((0..<500).map { ("\($0)", String(repeating: "x", count: 1000)) })
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        for index in 0..<400 { _ = unsafe try transaction.delete(database, key: "\(index)".bytes.span.bytes) }
        try transaction.commit()
        let before = try store.environment.info()
        for compacting in [false, true] {
            let directory = try TemporaryDirectory()
            if compacting {
                try store.environment.compact(to: directory.path)
            } else {
                try store.environment.copy(to: directory.path)
            }
            let copy = try LMDBEnvironment.open(at: directory.path, options: .test)
            #expect(try copy.value("450") != nil)
            #expect(try copy.value("100") == nil)
            #expect(try copy.info().fileBytes <= before.fileBytes / (compacting ? 2 : 1))
            copy.close()
        }
    }

    @Test
    func `A transaction's number is in its snapshots`() throws {
        let store = try TemporaryStore()
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "a", "1")
        let number = transaction.snapshot.transactionID
        try transaction.commit()
        let reading = try store.environment.beginRead()
        #expect(reading.snapshot.transactionID == number)
        #expect(try store.environment.info().lastTransactionID == number)
    }
}
