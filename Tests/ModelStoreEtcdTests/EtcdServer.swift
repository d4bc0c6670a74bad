#if Etcd
import ChildPrograms
import Foundation
import Glibc
import ModelStoreEtcd
import ModelStoreReplication
import ReplicaChecks
import Synchronization
import TestSupport

/// An etcd server of the test's own, on a port that was free. It ends with this value.
///
/// - `server` is protected by its mutex.
final class EtcdServer: LogServer {
    let path: String
    let endpoint: String
    private let peer: String
    private let options: [String]
    private let server = Mutex<ChildProcess?>(nil)

    /// Makes a directory, and starts a server in it.
    ///
    /// - Parameters:
    ///   - isSecure: whether the server takes connections with TLS only. ``authority`` is then its certificate.
    ///   - asksClients: whether the server takes only clients that have a certificate of ``authority``.
    ///   - quota: the most bytes of the server's data file; nil for etcd's own limit.
    init(isSecure: Bool = false, asksClients: Bool = false, quota: Int? = nil) throws {
        path = FileManager.default.temporaryDirectory.path + "/etcd-" + UUID().uuidString.prefix(8)
        let ports = try Self.freePorts(2)
        endpoint = "\(isSecure ? "https" : "http")://127.0.0.1:\(ports[0])"
        peer = "http://127.0.0.1:\(ports[1])"
        options =
            (isSecure ? ["--cert-file", path + "/certificate.pem", "--key-file", path + "/key.pem"] : [])
            + (asksClients ? ["--client-cert-auth", "--trusted-ca-file", path + "/certificate.pem"] : [])
            + (quota.map { ["--quota-backend-bytes", String($0)] } ?? [])
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        if isSecure {
            try Self.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=etcd",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path + "/key.pem", "-out", authority,
                ])
        }
        try start()
    }

    /// The file of the certificate that a secure server has signed itself.
    var authority: String { path + "/certificate.pem" }

    /// The file of the certificate's private key.
    var key: String { path + "/key.pem" }

    /// Makes the server ask for the password of the user `root`.
    func requirePassword(_ password: String) throws {
        for command in [
            ["user", "add", "root:" + password], ["user", "grant-role", "root", "root"], ["auth", "enable"],
        ] {
            try Self.run("/usr/bin/etcdctl", ["--endpoints", endpoint, "--cacert", authority] + command)
        }
    }

    /// Runs commands of etcd's own tool.
    func control(_ arguments: String...) throws {
        try Self.run("/usr/bin/etcdctl", ["--endpoints", endpoint] + arguments)
    }

    /// Returns the number of leases that the server has.
    func leaseCount() throws -> Int {
        let lines = try Self.run("/usr/bin/etcdctl", ["--endpoints", endpoint, "lease", "list"])
        // `found 2 leases`, and then their numbers.
        return lines.first?.split(separator: " ").compactMap { Int($0) }.first ?? -1
    }

    /// Returns the number of keys with a prefix.
    func keyCount(_ prefix: String) throws -> Int {
        let lines = try Self.run(
            "/usr/bin/etcdctl",
            ["--endpoints", endpoint, "get", prefix, "--prefix", "--keys-only", "--write-out", "json"])
        // Without keys, the answer has no count.
        let count = lines.joined().firstMatch(of: /"count":([0-9]+)/)
        return count.flatMap { Int($0.1) } ?? 0
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String]) throws -> [String] {
        let process = try ChildProcess(
            program, arguments, environment: ["ETCDCTL_API": "3"], mergesErrors: true)
        let lines = process.remainingLines()
        let end = try process.wait()
        guard end == .exit(0) else { throw Mismatch("\(program) \(arguments): \(end) \(lines)") }
        return lines
    }

    func log(_ name: String) async throws -> any SharedLog {
        try await EtcdLog.open(name: name, endpoints: [endpoint])
    }

    /// Starts the server, and waits until it takes requests.
    func start() throws {
        let process = try ChildProcess(
            "/usr/bin/etcd",
            [
                "--name", "a", "--data-dir", path + "/data", "--listen-client-urls", endpoint,
                "--advertise-client-urls", endpoint,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "a=\(peer)",
                "--logger", "zap",
            ] + options, mergesErrors: true)
        while let line = process.nextLine() {
            guard line.contains("serving client traffic") || line.contains("ready to serve") else {
                continue
            }
            return server.withLock { $0 = process }
        }
        throw Mismatch("etcd did not start")
    }

    /// Ends the server at once, without a chance to finish anything.
    func crash() {
        guard let process = server.withLock({ $0.take() }) else { return }
        process.kill()
        _ = process.remainingLines()
        _ = try? process.wait()
    }

    /// Returns ports of this machine that no program listens on.
    private static func freePorts(_ count: Int) throws -> [UInt16] {
        let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets { close(socket) } }
        return try sockets.map { socket in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
                }
            }
            guard isBound else { throw Mismatch("there is no free port: errno \(errno)") }
            return UInt16(bigEndian: address.sin_port)
        }
    }

    deinit {
        crash()
        try? FileManager.default.removeItem(atPath: path)
    }
}
#endif
