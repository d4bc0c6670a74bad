#if Postgres
import ModelStorePostgres
import ModelStoreReplication
import ReplicaChecks
import TestSupport
import Testing

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
