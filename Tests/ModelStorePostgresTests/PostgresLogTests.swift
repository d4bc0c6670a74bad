#if Postgres
import ModelStoreReplication
import ReplicaChecks
import TestSupport
import StoreRuntime
import Testing

@testable import ModelStorePostgres

/// The log in a PostgreSQL server, which each test starts for itself. Needs Debian's postgresql-15.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 20 : 4))) struct PostgresLogTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer() }

    @Test func `a log in PostgreSQL does what a shared log must do`() async throws {
        try await LogServerChecks(server).conformance()
    }

    @Test(.enabled(if: TestLength.isLong)) func `ten thousand writes on one connection`() async throws {
        try await LogServerChecks(server).tenThousandWrites()
    }

    @Test func `several logs of a database do not see each other`() async throws {
        try await LogServerChecks(server).logsAreSeparate()
    }

    @Test func `writes of two nodes meet, through a crash of the server`() async throws {
        try await LogServerChecks(server).writesMeetThroughACrash()
    }

    @Test func `a log says where its entries are durable`() async throws {
        let log = try await PostgresLog.open(name: "test", connection: server.connection)
        #expect(log.durability == .onePrimary)
    }

    @Test func `an entry that no standby has is not read, although the server shows it`() async throws {
        let standby = try PostgresServer(standbyOf: server)
        _ = try server.run("alter system set synchronous_standby_names = 'ANY 1 (standby)'")
        _ = try server.run("select pg_reload_conf()")
        while try server.run("show synchronous_standby_names") != ["ANY 1 (standby)"] {}
        let log = try await PostgresLog.open(name: "test", connection: server.connection)
        #expect(log.durability == .standbys)
        let first = LogEntry(after: try await log.head(), node: "a", LoggedEntry(changeSets: []))
        #expect(try await log.append(first) == .appended)

        standby.crash()
        let second = LogEntry(after: first.position, node: "a", LoggedEntry(changeSets: []))
        let appending = Task { try await log.append(second) }
        // An administrator cancels the wait for the standby.
        while try server.run(
            "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"
        ).isEmpty {}
        let unknown = await #expect(throws: SharedLogError.self) { try await appending.value }
        #expect(unknown?.code == .unknown)
        let reader = try await PostgresLog.open(name: "test", connection: server.connection)
        #expect(try server.run("select index from modelstore_head") == ["2"])
        let unread = await #expect(throws: SharedLogError.self) {
            try await reader.entries(after: first.position, maximumByteCount: 1 << 20)
        }
        #expect(unread?.code == .unavailable)
        try standby.start()
        #expect(try await reader.entries(after: first.position, maximumByteCount: 1 << 20).entries == [second])
        #expect(try await log.append(second) != .appended)
    }

    @Test(arguments: [
        ("", nil), ("a", 1), ("a, b", 1), ("*", 1), ("FIRST 2 (a, b, c)", 2), ("any 3 (a,b,c)", 3), ("2 (a, b)", 2),
        ("first, other", 1),
    ])
    func `the number of standbys is read from the server's setting`(names: String, count: Int?) {
        #expect(StandbyQuorum(names: names).map { Int($0.count) } == count)
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
