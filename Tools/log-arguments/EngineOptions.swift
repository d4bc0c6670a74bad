package import ArgumentParser
import Foundation
package import ModelStoreReplication
#if Etcd
import ModelStoreEtcd
#endif
#if Postgres
import ModelStorePostgres
#endif

/// The options that name the engine of a log, and the place of the snapshots.
package struct EngineOptions: ParsableArguments {
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
        help: ArgumentHelp(
            "The quota of etcd in bytes, if it is older than 3.6 and was started with --quota-backend-bytes.",
            valueName: "bytes"))
    var etcdQuota: Int?

    @Option(
        help: ArgumentHelp("The database that keeps the log, as a connection string of libpq.", valueName: "connection")
    )
    var postgres: String?

    @Option(
        help: ArgumentHelp("The directory of the nodes' snapshots.", valueName: "dir"), completion: .directory)
    package var snapshots: String?

    package init() {}

    /// Whether no option is given.
    package var isEmpty: Bool {
        [etcd, etcdCa, etcdCert, etcdKey, etcdUser, postgres, snapshots].allSatisfy { $0 == nil } && etcdQuota == nil
    }

    /// Throws an error unless exactly one engine is named.
    package func requireEngine() throws {
        guard (etcd == nil) != (postgres == nil) else {
            throw ValidationError(
                etcd == nil
                    ? "name the engine of the log: --etcd or --postgres" : "a log has one engine: --etcd or --postgres")
        }
    }

    /// Opens the log of a name.
    ///
    /// - Throws: ``SharedLogError``, with the code `refused` if this program cannot use the engine, or the directory of the
    ///   snapshots does not exist.
    package func open(log: String) async throws -> any SharedLog {
        var isDirectory = ObjCBool(false)
        for (path, option) in [
            (snapshots, "--snapshots"), (etcdCa, "--etcd-ca"), (etcdCert, "--etcd-cert"), (etcdKey, "--etcd-key"),
        ] {
            guard let path, path.allSatisfy(\.isWhitespace) else { continue }
            let text = path.isEmpty ? "empty" : "blank"
            throw SharedLogError(.refused, "the path of \(option) is \(text); name a file or a directory")
        }
        if let snapshots {
            guard unsafe FileManager.default.fileExists(atPath: snapshots, isDirectory: &isDirectory),
                isDirectory.boolValue
            else { throw SharedLogError(.refused, "--snapshots: \(snapshots) is no directory; make it first") }
        }
        if let etcd {
            #if Etcd
            let tls = etcdCa.map { EtcdTLS.files(authority: $0, certificate: etcdCert, key: etcdKey) }
            return try await EtcdLog.open(
                name: log, endpoints: etcd.split(separator: ",").map(String.init), tls: tls, user: etcdUser,
                password: ProcessInfo.processInfo.environment["ETCD_PASSWORD"] ?? "",
                quotaByteCount: etcdQuota ?? EtcdLog.defaultQuotaByteCount)
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

    private static func missing(_ trait: String, _ value: String?) -> SharedLogError {
        SharedLogError(.refused, "this program was built without \(trait); build it with --traits \(trait)")
    }
}
