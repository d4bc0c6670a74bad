import Foundation
import ModelStoreEtcd
import ModelStoreReplication

/// An etcd server that runs beside the measurement.
final class EtcdProcess {
    let endpoint: String
    private let process = Process()

    init(in directory: String) async throws {
        let port = Int.random(in: 20_000..<30_000)
        endpoint = "http://127.0.0.1:\(port)"
        let peer = "http://127.0.0.1:\(port + 1)"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/etcd")
        process.arguments = [
            "--name", "one", "--data-dir", directory + "/etcd", "--logger", "zap", "--log-level", "error",
            "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", "one=\(peer)",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        for attempt in 1...100 {
            do {
                _ = try await EtcdLog.open(name: "probe", endpoints: [endpoint])
                return
            } catch {
                guard attempt < 100, process.isRunning else { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Opens a connection to a log of the server.
    func log(_ name: String) async throws -> EtcdLog { try await EtcdLog.open(name: name, endpoints: [endpoint]) }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
