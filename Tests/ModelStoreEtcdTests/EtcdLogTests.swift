#if Etcd
import ModelStoreEtcd
import ModelStoreReplication
import ReplicaChecks
import TestSupport
import Testing

extension EtcdTests {
    /// The log in an etcd server, which each test starts for itself. Needs Debian's etcd-server.
    @Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 20 : 4))) struct EtcdLogTests {
        private let server: EtcdServer

        init() throws { server = try EtcdServer() }

        @Test func `a log in etcd does what a shared log must do`() async throws {
            try await LogServerChecks(server).conformance()
        }

        @Test(.enabled(if: TestLength.isLong)) func `ten thousand writes on one connection`() async throws {
            try await LogServerChecks(server).tenThousandWrites()
        }

        @Test func `several logs of a cluster do not see each other`() async throws {
            try await LogServerChecks(server).logsAreSeparate()
        }

        @Test func `writes of two nodes meet, through a crash of the server`() async throws {
            try await LogServerChecks(server).writesMeetThroughACrash()
        }

        @Test func `a register that is set again and again has one lease`() async throws {
            let log = try await server.log("test")
            var version: UInt64 = 0
            for number in UInt8(0)..<5 {
                let outcome = try await log.setRegister("a", to: [number], from: version, lifetime: .seconds(600))
                guard case .set(let next) = outcome else { throw Mismatch("\(outcome)") }
                version = next
            }
            // A conflict leaves none either.
            _ = try await log.setRegister("a", to: [9], from: 0, lifetime: .seconds(600))
            #expect(try server.leaseCount() == 1)
        }

        @Test func `the parts of long entries go with their entries, and those of lost ones at once`() async throws {
            let (log, other) = (try await server.log("test"), try await server.log("test"))
            let start = try await log.head()
            let checks = LogConformance(letTimePass: { _ in }) { log }
            let (first, late) = (
                checks.entry(after: start, byteCount: 3 << 20), checks.entry(after: start, byteCount: 2 << 20)
            )
            #expect(try server.keyCount("/modelstore/test/part/") == 0)
            #expect(try await log.append(first) == .appended)
            #expect(try server.keyCount("/modelstore/test/part/") == 4)
            // Parts that a node put before it ended.
            #expect(
                try await other.append(late)
                    == .conflict(LogBatch(entries: [first], head: first.position, floor: start)))
            #expect(try server.keyCount("/modelstore/test/part/") == 4)
            let second = checks.entry(after: first.position, byteCount: 2 << 20)
            #expect(try await other.append(second) == .appended)
            #expect(try await log.entries(after: start, maximumByteCount: 4 << 20).entries == [first])
            #expect(try await log.entries(after: start, maximumByteCount: 16 << 20).entries == [first, second])
            try await log.trim(through: first.position)
            #expect(try server.keyCount("/modelstore/test/part/") == 3)
            let next = LogPosition(generation: 2, index: 7, hash: .zero)
            #expect(try await log.beginGeneration(at: next, after: second.position))
            #expect(try server.keyCount("/modelstore/test/part/") == 0)
        }

        @Test func `a log knows the room that its cluster has`() async throws {
            let small = try EtcdServer(quota: 32 << 20)
            let log = try await EtcdLog.open(name: "test", endpoints: [small.endpoint], quotaByteCount: 32 << 20)
            let before = try await log.usage()
            let checks = LogConformance(letTimePass: { _ in }) { log }
            #expect(try await log.append(checks.entry(after: log.head(), byteCount: 8 << 20)) == .appended)
            var after = before
            // The cluster counts a change a tenth of a second later.
            while after.byteCount < before.byteCount + 8 << 20 {
                try await nextTurn()
                after = try await log.usage()
            }
            #expect(after.limit == 32 << 20)
        }

        @Test func `a log speaks TLS, and names its user`() async throws {
            let server = try EtcdServer(isSecure: true)
            try server.requirePassword("secret")
            let log = try await EtcdLog.open(
                name: "test", endpoints: [server.endpoint], tls: .files(authority: server.authority), user: "root",
                password: "secret")
            #expect(try await log.head().index == 0)
            _ = try await log.setRegister("a", to: [1], from: 0, lifetime: nil)
            #expect(try await log.registers(prefix: "").count == 1)
        }

        @Test func `a client shows its certificate where the cluster asks for one`() async throws {
            let server = try EtcdServer(isSecure: true, asksClients: true)
            await #expect(throws: SharedLogError.self) {
                try await EtcdLog.open(
                    name: "test", endpoints: [server.endpoint], tls: .files(authority: server.authority))
            }
            let tls = EtcdTLS.files(authority: server.authority, certificate: server.authority, key: server.key)
            let log = try await EtcdLog.open(name: "test", endpoints: [server.endpoint], tls: tls)
            _ = try await log.setRegister("a", to: [1], from: 0, lifetime: nil)
            #expect(try await log.registers(prefix: "").count == 1)
        }

        @Test func `mistakes in the parameters are refused, and no error shows the password`() async throws {
            let server = try EtcdServer(isSecure: true)
            try server.requirePassword("right")
            let tls = EtcdTLS.files(authority: server.authority)
            let refused: [() async throws -> EtcdLog] = [
                { try await EtcdLog.open(name: "a/b", endpoints: [server.endpoint], tls: tls) },
                { try await EtcdLog.open(name: "a", endpoints: []) },
                { try await EtcdLog.open(name: "a", endpoints: [server.endpoint], tls: tls, quotaByteCount: 0) },
                { try await EtcdLog.open(name: "a", endpoints: ["root:secret@127.0.0.1:1"]) },
                { try await EtcdLog.open(name: "a", endpoints: [server.endpoint]) },
                { try await EtcdLog.open(name: "a", endpoints: [server.endpoint], tls: .files(authority: "/secret")) },
                { try await EtcdLog.open(name: "a", endpoints: [server.endpoint], tls: tls) },
                {
                    try await EtcdLog.open(
                        name: "a", endpoints: [server.endpoint], tls: tls, user: "root", password: "secret")
                },
            ]
            for open in refused {
                let error = await #expect(throws: SharedLogError.self) { _ = try await open() }
                #expect(error?.code == .refused, "\(error as Any)")
                #expect(error?.description.contains("secret") == false)
            }
        }
    }
}
#endif
