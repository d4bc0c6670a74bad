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
