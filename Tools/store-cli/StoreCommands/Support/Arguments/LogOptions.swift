import ArgumentParser
import Foundation
import ModelStoreReplication
#if Etcd
import ModelStoreEtcd
#endif
#if Postgres
import ModelStorePostgres
#endif

/// The options that name a log and the engine that keeps it.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the log.", valueName: "name"))
    var log: String

    @Option(help: ArgumentHelp("The addresses of an etcd cluster, with commas between them.", valueName: "urls"))
    var etcd: String?

    @Option(help: ArgumentHelp("The certificate of etcd's authority, for https.", valueName: "file"))
    var etcdCa: String?

    @Option(help: ArgumentHelp("The certificate of this client, for etcd.", valueName: "file"))
    var etcdCert: String?

    @Option(help: ArgumentHelp("The private key of this client, for etcd.", valueName: "file"))
    var etcdKey: String?

    @Option(
        help: ArgumentHelp("A user of etcd; ETCD_PASSWORD in the environment is the password.", valueName: "name"))
    var etcdUser: String?

    @Option(
        help: ArgumentHelp("The database that keeps the log, as a connection string of libpq.", valueName: "connection")
    )
    var postgres: String?

    @Option(
        help: ArgumentHelp("The directory of the nodes' snapshots.", valueName: "dir"), completion: .directory)
    var snapshots: String?

    func validate() throws {
        guard (etcd == nil) != (postgres == nil) else {
            throw ValidationError("name the engine of the log: --etcd or --postgres")
        }
    }

    /// Opens the log, and runs `body` with its administration.
    func administer<T: Sendable>(_ body: @escaping @Sendable (LogAdministration) async throws -> T) throws -> T {
        let options = self
        return try AsyncWork.run {
            do {
                let log = try await options.open()
                guard let snapshots = options.snapshots else { return try await body(LogAdministration(log)) }
                return try await body(LogAdministration(log, snapshots: .directory(snapshots)))
            } catch let error as SharedLogError {
                throw CommandFailure(error.code == .refused ? .usage : .unreachable, error.message)
            }
        }
    }

    private func open() async throws -> any SharedLog {
        if let etcd {
            #if Etcd
            let tls = etcdCa.map { EtcdTLS.files(authority: $0, certificate: etcdCert, key: etcdKey) }
            return try await EtcdLog.open(
                name: log, endpoints: etcd.split(separator: ",").map(String.init), tls: tls, user: etcdUser,
                password: TerminalSize.variable("ETCD_PASSWORD") ?? "")
            #else
            throw Self.missing("Etcd", etcd)
            #endif
        }
        #if Postgres
        return try await PostgresLog.open(name: log, connection: postgres ?? "")
        #else
        throw Self.missing("Postgres", postgres)
        #endif
    }

    private static func missing(_ trait: String, _ value: String?) -> CommandFailure {
        CommandFailure(.usage, "this store-cli was built without \(trait); build it with --traits \(trait)")
    }
}
