import Foundation
import ModelStore
import ModelStoreTesting
import TestSupport
import Testing

@testable import ModelStoreReplication

/// Nodes whose programs have different versions.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) final class RunningProgramTests {
    /// The first version of the program.
    enum First {
        @Record("Gauge")
        struct Gauge {
            @ID var id: Int
            var count: Int16
        }
    }

    /// A version beside which the first one continues.
    enum Second {
        @Record("Gauge")
        struct Gauge {
            @ID var id: Int
            var count: Int16
            var unit: String = "m"
        }
    }

    /// A version beside which neither of the others continues.
    enum Third {
        @Record("Gauge")
        struct Gauge {
            @ID var id: Int
            var count: Int
            var unit: String = "m"
        }
    }

    /// A record type of another program.
    @Record
    struct Note {
        @ID var id: Int
    }

    private let directory = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func open<R: Record>(
        _ name: String, in folder: String? = nil, _ log: MemoryLog, _ type: R.Type, stopsOlderPrograms: Bool = false
    ) async throws -> Store {
        var replication = Replication.shared(log, node: name)
        replication.followsByItself = false
        replication.stopsOlderPrograms = stopsOlderPrograms
        let store = try await Store.open(
            at: directory.appending(path: folder ?? name).path, records: R.self, replication: replication)
        await store.replicator?.keepUp()
        return store
    }

    @Test func `an older program goes on beside one that adds a field, and keeps what it does not know`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log, First.Gauge.self)
        let two = try await open("two", log.connection(), Second.Gauge.self)
        try await two.write { tx in try tx.insert(Second.Gauge(id: 1, count: 1, unit: "mm")) }
        try one.replicator?.followNow()
        try await one.write { tx in try tx.update(First.Gauge.self, id: 1) { $0.count = 2 } }
        let found = try await two.read(.linearizable) { tx in try tx.get(Second.Gauge.self, id: 1) }
        #expect(found == Second.Gauge(id: 1, count: 2, unit: "mm"))
        for store in [one, two] { store.close() }
    }

    @Test func `a change that running programs cannot use is refused, and nothing of it is there`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log, First.Gauge.self)
        let two = try await open("two", log.connection(), Second.Gauge.self)
        try await one.write { tx in try tx.insert(First.Gauge(id: 1, count: 1)) }
        let count = log.allEntries.count
        let error = await #expect(throws: StoreError.self) {
            try await open("three", log.connection(), Third.Gauge.self)
        }
        #expect(error?.code == .membersTooOld)
        #expect(error?.message.hasSuffix("record types: one (Gauge), two (Gauge)") == true, "\(error?.message ?? "")")
        #expect(log.allEntries.count == count)
        try two.replicator?.followNow()
        try await two.write { tx in try tx.update(Second.Gauge.self, id: 1) { $0.count = 2 } }
        try one.replicator?.followNow()
        #expect(try one.read { try $0.get(First.Gauge.self, id: 1)?.count } == 2)
        for store in [one, two] { store.close() }
    }

    @Test func `each program of a node is asked`() async throws {
        let log = MemoryLog()
        let one = try await open("one/a", in: "one", log, First.Gauge.self)
        let other = try await open("one/a", in: "other", log.connection(), Note.self)
        for _ in 0..<2 { for store in [one, other] { await store.replicator?.keepUp() } }
        let error = await #expect(throws: StoreError.self) {
            try await open("three", log.connection(), Third.Gauge.self)
        }
        #expect(error?.message.hasSuffix("record types: one/a (Gauge)") == true, "\(error?.message ?? "")")
        for store in [one, other] { store.close() }
    }

    @Test func `a program that has ended is not asked`() async throws {
        let log = MemoryLog()
        try await open("one", log, First.Gauge.self).close()
        await #expect(throws: StoreError.self) { try await open("two", log.connection(), Third.Gauge.self) }
        log.advance(by: .seconds(21))
        let two = try await open("two", log.connection(), Third.Gauge.self)
        try await two.write { tx in try tx.insert(Third.Gauge(id: 1, count: 1 << 40)) }
        two.close()
    }

    @Test func `a change can stop older programs, whose nodes go on with the newer one`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log, Second.Gauge.self)
        let two = try await open("two", log.connection(), Third.Gauge.self, stopsOlderPrograms: true)
        try await two.write { tx in try tx.insert(Third.Gauge(id: 1, count: 1 << 40)) }
        await one.replicator?.follow()
        guard case .stopped(let error)? = one.replication?.state else {
            Issue.record("\(String(describing: one.replication?.state))")
            return
        }
        #expect(error.code == .schemaMismatch)
        one.close()
        let again = try await open("one", log.connection(), Third.Gauge.self)
        #expect(try again.read { try $0.get(Third.Gauge.self, id: 1)?.count } == 1 << 40)
        for store in [again, two] { store.close() }
    }
}
