#if Postgres
import ChildPrograms
import Foundation
import ModelStorePostgres
import ModelStoreReplication
import ReplicaChecks
import Synchronization
import TestSupport

/// A PostgreSQL server of the test's own, on a socket in its directory. It ends with this value.
///
/// - `server` is protected by its mutex.
final class PostgresServer: LogServer {
    let path: String
    private let server = Mutex<ChildProcess?>(nil)
    private static let programs = "/usr/lib/postgresql/15/bin"
    /// The server refuses to run as root. `setpriv` becomes the program, so that a signal reaches it.
    private static let asPostgres = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]

    /// The connection string of a database that the server has.
    var connection: String { "host=\(path) user=postgres dbname=postgres" }

    func log(_ name: String) async throws -> any SharedLog {
        try await PostgresLog.open(name: name, connection: connection)
    }

    /// Makes a standby of a server, under the name `standby`.
    init(standbyOf primary: PostgresServer) throws {
        path = FileManager.default.temporaryDirectory.path + "/pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("/bin/chown", ["postgres", path])
        try Self.run(
            "/usr/bin/setpriv",
            Self.asPostgres
                + [
                    Self.programs + "/pg_basebackup", "-D", path + "/data", "-R", "-X", "stream", "-c", "fast", "-d",
                    primary.connection + " application_name=standby",
                ])
        try start()
    }

    /// Runs a statement, and returns its rows.
    func run(_ statement: String) throws -> [String] {
        let process = try ChildProcess(
            "/usr/bin/psql", ["-X", "-A", "-t", "-d", connection, "-c", statement], mergesErrors: true)
        let lines = process.remainingLines()
        guard try process.wait() == .exit(0) else { throw Mismatch("\(statement): \(lines)") }
        return lines
    }

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("/bin/chown", ["postgres", path])
        try Self.run(
            "/usr/bin/setpriv",
            Self.asPostgres + [Self.programs + "/initdb", "--no-sync", "--auth=trust", "-D", path + "/data"])
        try start()
    }

    /// Starts the server, and waits until it takes connections.
    func start() throws {
        let process = try ChildProcess(
            "/usr/bin/setpriv",
            Self.asPostgres
                + [
                    Self.programs + "/postgres", "-D", path + "/data", "-k", path, "-c", "listen_addresses=",
                    // A killed server leaves its shared memory, which is then removed with the directory.
                    "-c", "dynamic_shared_memory_type=mmap",
                ],
            mergesErrors: true)
        while let line = process.nextLine() {
            guard line.contains("ready to accept") else { continue }
            return server.withLock { $0 = process }
        }
        throw Mismatch("PostgreSQL did not start")
    }

    /// Ends the server at once, without a chance to finish anything.
    func crash() {
        guard let process = server.withLock({ $0.take() }) else { return }
        process.kill()
        // The server's other processes end soon after the first one, and close its output then.
        _ = process.remainingLines()
        _ = try? process.wait()
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = try ChildProcess(program, arguments, mergesErrors: true)
        let lines = process.remainingLines()
        let end = try process.wait()
        guard end == .exit(0) else { throw Mismatch("\(program) \(arguments): \(end) \(lines)") }
    }

    deinit {
        crash()
        try? FileManager.default.removeItem(atPath: path)
    }
}
#endif
