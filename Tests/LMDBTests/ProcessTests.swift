import Foundation
import LMDB
import Testing

@Suite(.enabled(if: ForeignProcess.isAvailable, "needs python3 and liblmdb.so.0"))
struct ProcessTests {
    @Test
    func `Two processes that write at once lose nothing`() async throws {
        let store = try TemporaryStore()
        try store.environment.store([("start", "1")])
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        let foreign = Task.detached { try other.ask("write test foreign 300") }
        for round in 0..<300 { try store.environment.store([("own\(round)", "own")]) }
        _ = try await foreign.value
        let transaction = try store.environment.beginRead()
        let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
        #expect(try transaction.snapshot.statistics(of: database).entries == 601)
        #expect(try other.ask("get test own299") == "own")
    }

    @Test
    func `A writer waits for another process's transaction`() async throws {
        let store = try TemporaryStore()
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        try other.ask("hold-writer")
        let environment = store.environment
        let own = Task.detached { try environment.store([("a", "1")]) }
        #expect(try store.environment.value("a") == nil, "readers do not wait")
        try other.ask("release-writer")
        try await own.value
        #expect(try store.environment.value("a") == "1")
    }

    @Test
    func `A writer killed in its transaction leaves nothing behind`() throws {
        let store = try TemporaryStore()
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        try other.ask("put test a 1")
        try other.ask("hold-writer")
        other.kill()
        try store.environment.store([("b", "2")])
        #expect(try store.environment.value("a") == "1")
        #expect(try store.environment.value("b") == "2")
    }

    @Test
    func `A database created by another process is found, even in a snapshot that runs`() throws {
        let store = try TemporaryStore()
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        let before = try store.environment.beginRead()
        try other.ask("put foreign a 1")
        #expect(try before.snapshot.openDatabase(named: "foreign") == nil)
        let after = try store.environment.beginRead()
        let snapshot = after.snapshot
        let id = snapshot.transactionID
        #expect(try snapshot.value("a", in: "foreign") == "1")
        #expect(snapshot.transactionID == id)
        #expect(try store.environment.value("a", in: "foreign") == "1")
        try other.ask("put second b 2")
        let stale = try store.environment.beginRead()
        try other.ask("put second b 3")
        #expect(code { _ = try stale.snapshot.value("b", in: "second") } == .busy)
        #expect(try store.environment.value("b", in: "second") == "3", "a new transaction sees it")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mdb_stat"), "needs lmdb-utils"))
    func `LMDB's own tools read a store`() throws {
        let store = try TemporaryStore()
        try store.environment.store((0..<123).map { ("\($0)", "value") })
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/mdb_stat")
        process.arguments = ["-s", "test", store.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.contains("Entries: 123"))
    }
}
