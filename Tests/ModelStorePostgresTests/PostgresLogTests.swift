#if Postgres
import Foundation
import ModelStore
import ModelStorePostgres
import ModelStoreReplication
import ReplicaChecks
import TestSupport
import Testing

@Record
struct Reading {
    @ID var id: Int
    @Indexed var celsius: Double
}

/// The log in a PostgreSQL server, which each test starts for itself. Needs Debian's postgresql-15.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 20 : 4))) struct PostgresLogTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer() }

    private func log(_ name: String = "test") async throws -> PostgresLog {
        try await PostgresLog.open(name: name, connection: server.connection)
    }

    @Test func `a log in PostgreSQL does what a shared log must do`() async throws {
        try await LogConformance { [server] in
            try await PostgresLog.open(name: "test", connection: server.connection)
        }
        .run()
    }

    /// A log must take this many in a minute. The test's duration shows it.
    @Test(.enabled(if: TestLength.isLong)) func `ten thousand appends on one connection`() async throws {
        let log = try await log()
        let path = server.path + "-store"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try await Store.open(at: path, records: Reading.self, replication: .shared(log, node: "a"))
        defer { store.close() }
        for number in 0..<10_000 {
            try await store.write { tx in try tx.insert(Reading(id: number, celsius: 20)) }
        }
        #expect(try await log.head().index > 10_000)
        #expect(try store.read { try $0.fetch(Reading.self).count } == 10_000)
    }

    @Test func `several logs of a database do not see each other`() async throws {
        let (one, two) = (try await log("one"), try await log("two"))
        let path = server.path + "-store"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try await Store.open(at: path, records: Reading.self, replication: .shared(one, node: "a"))
        defer { store.close() }
        #expect(try await one.head().index > 0)
        #expect(try await two.head().index == 0)
        #expect(one.durability == .onePrimary)
    }

    @Test func `writes of two nodes meet, through a crash of the server`() async throws {
        let paths = ["a", "b"].map { server.path + "-" + $0 }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        let a = try await Store.open(
            at: paths[0], records: Reading.self, replication: .shared(try await log(), node: "a"))
        let b = try await Store.open(
            at: paths[1], records: Reading.self, replication: .shared(try await log(), node: "b"))
        defer {
            a.close()
            b.close()
        }
        let first = try await a.write(returning: .position) { tx in try tx.insert(Reading(id: 1, celsius: 20)) }
        #expect(try await b.read(.atLeast(first.position)) { try $0.get(Reading.self, id: 1)?.celsius } == 20)
        server.crash()
        // Without the log, reads go on and writes fail.
        #expect(try b.read { try $0.get(Reading.self, id: 1)?.celsius } == 20)
        let error = await #expect(throws: StoreError.self) {
            try await b.write { tx in try tx.insert(Reading(id: 2, celsius: 21)) }
        }
        #expect(error.map { [.logUnavailable, .outcomeUnknown].contains($0.code) } == true, "\(error as Any)")
        try server.start()
        let last = try await b.write(returning: .position) { tx in try tx.upsert(Reading(id: 3, celsius: 22)) }
        #expect(try await a.read(.atLeast(last.position)) { try $0.get(Reading.self, id: 3)?.celsius } == 22)
        #expect(
            try await a.read(.linearizable) { try $0.fetch(Reading.self).count }
                == b.read { try $0.fetch(Reading.self).count })
        #expect(try a.position == b.position)
    }

    @Test func `a database that refuses is an error, and no error shows the connection string`() async throws {
        for connection in [
            "host=\(server.path) user=stranger dbname=postgres password=secret", "host=/nowhere password=secret",
        ] {
            let error = await #expect(throws: SharedLogError.self) {
                try await PostgresLog.open(name: "test", connection: connection)
            }
            #expect(error.map { [.refused, .unavailable].contains($0.code) } == true)
            #expect(error?.description.contains("secret") == false)
        }
    }
}
#endif
