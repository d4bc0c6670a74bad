import Foundation
import LMDB
import Testing

@Suite(.enabled(if: ForeignProcess.isAvailable, "needs python3 and liblmdb.so.0"))
struct ReaderTests {
    @Test
    func `A killed reader's slot is cleared on demand, and its pages are used again`() throws {
        let store = try TemporaryStore()
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        try store.environment.store([("a", String(repeating: "x", count: 2000))])
        let held = Int(try other.ask("hold-snapshot"))
        #expect(
            try store.environment.readers().contains { $0.processID == other.processID && $0.transactionID == held })
        other.kill()
        func commitMany() throws {
            for round in 0..<300 { try store.environment.store([("a", String(repeating: "x", count: 2000 + round))]) }
        }
        let start = try store.environment.info().fileBytes
        try commitMany()
        let pinned = try store.environment.info().fileBytes
        #expect(pinned > start + 300 * 4096, "the dead reader pins pages: this is what the test is about")
        #expect(try store.environment.clearStaleReaders() == 1)
        #expect(try store.environment.clearStaleReaders() == 0)
        try commitMany()
        #expect(try store.environment.info().fileBytes <= pinned + 16 * 4096)
    }

    @Test
    func `A killed reader's slot is cleared at open`() throws {
        let store = try TemporaryDirectory()
        let other = try ForeignProcess()
        let keeper = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        // Without a second user, the next open would start a new lock file.
        try keeper.ask("open \(store.path) \(1 << 30)")
        try other.ask("put test a 1")
        try other.ask("hold-snapshot")
        try keeper.ask("hold-snapshot")
        other.kill()
        let environment = try LMDBEnvironment.open(at: store.path, options: .test)
        defer { environment.close() }
        #expect(try environment.readers().filter { $0.transactionID != nil }.map(\.processID) == [keeper.processID])
    }

    @Test
    func `A full map clears dead readers, and names the oldest that lives`() throws {
        let store = try TemporaryStore(LMDBEnvironment.Options(mapSize: 1 << 20, syncs: false))
        try store.environment.store([("a", "1")])
        let dead = try ForeignProcess()
        try dead.ask("open \(store.path) \(1 << 20)")
        try dead.ask("hold-snapshot")
        try store.environment.store([("a", "2")])
        let living = try ForeignProcess()
        try living.ask("open \(store.path) \(1 << 20)")
        let held = try living.ask("hold-snapshot")
        dead.kill()
        let error = #expect(throws: LMDBError.self) {
            for _ in 0..<1000 { try store.environment.store([("a", String(repeating: "x", count: 50_000))]) }
        }
        #expect(error?.code == .mapFull)
        let detail = error?.detail ?? ""
        #expect(detail.contains("1 slots of dead readers were cleared"))
        #expect(detail.contains("transaction \(held)") && detail.contains("process \(living.processID)"))
        #expect(try store.environment.readers().contains { $0.processID == dead.processID } == false)
    }

    @Test
    func `A full reader table clears dead readers and goes on`() throws {
        let directory = try TemporaryDirectory()
        let other = try ForeignProcess()
        try other.ask("open \(directory.path) \(1 << 30) 8")
        try other.ask("put test a 1")
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        let maximum = try environment.info().maximumReaders
        #expect(maximum < 200, "fixed by the first opener")
        for _ in 0..<(maximum - 1) { try other.ask("hold-snapshot") }
        let first = try environment.beginRead()
        let error = #expect(throws: LMDBError.self) { _ = try environment.beginRead() }
        #expect(error?.code == .readersFull)
        #expect(error?.detail.contains("process \(other.processID)") == true)
        other.kill()
        let second = try environment.beginRead()
        #expect(try second.snapshot.value("a") == "1")
        #expect(try first.snapshot.value("a") == "1")
    }

    @Test
    func `A process of another pid namespace with the same pid is named as the reason`() throws {
        let directory = try TemporaryDirectory()
        let other = try ForeignProcess()
        try other.ask("open \(directory.path) \(1 << 30)")
        try other.ask("claim-pid \(directory.path) \(getpid())")
        let error = #expect(throws: LMDBError.self) {
            try LMDBEnvironment.open(at: directory.path, options: .test).close()
        }
        #expect(error?.code == .foreignProcessNamespace)
        #expect(error?.remedy?.contains("namespace") == true)
        other.kill()
        #expect(throws: Never.self) { try LMDBEnvironment.open(at: directory.path, options: .test).close() }
    }

    @Test
    func `A pooled transaction keeps its slot and no snapshot`() throws {
        let store = try TemporaryStore()
        for _ in 0..<10 { _ = try store.environment.value("a") }
        let own = try store.environment.readers().filter { $0.processID == getpid() }
        #expect(own.count == 1)
        #expect(own.first?.transactionID == nil)
    }
}
