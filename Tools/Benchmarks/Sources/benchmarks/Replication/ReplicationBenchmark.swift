import ArgumentParser
import Foundation

/// Measures a replicated store against a store of its own, and against the engine that keeps its log.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks replication
/// ```
///
/// Needs Debian's etcd-server.
struct ReplicationBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replication",
        abstract: "Measures a replicated store against an unreplicated one, and against etcd's own transactions.",
        discussion: """
            Starts an etcd server with a port of its own on this machine. All nodes are in one process. Each figure has its \
            baseline in the same run.
            """)

    @Option(help: "The number of accounts for the reads.") var count = 100_000
    @Option(help: "The number of writes in a round.") var writes = 1_000
    @ParentCommand var benchmarks: Benchmarks

    func validate() throws {
        guard count > 0, writes >= 64 else {
            throw ValidationError("there must be an account, and 64 writes in a round")
        }
    }

    func run() async throws {
        let parent = benchmarks.directory ?? FileManager.default.temporaryDirectory.path
        let directory = "\(parent)/replication-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        print("medians of \(benchmarks.rounds) rounds; the ratio is the replicated store's speed over the baseline's")
        try await ReplicaReads(directory: directory, count: count, rounds: benchmarks.rounds).run()
        let engine = try await EtcdProcess(in: directory)
        defer { engine.stop() }
        let cluster = try await BenchmarkCluster(engine, directory)
        defer { cluster.close() }
        try await ReplicaWrites(cluster: cluster, count: writes, rounds: benchmarks.rounds).run()
        try await ReplicaDelivery(cluster: cluster, count: writes).run()
    }
}

/// Prints a row of the table.
enum ReplicationRow {
    static func printOut(_ name: String, _ ratio: Double, target: Double, _ note: String) {
        let isMissed = ratio < target ? "  below target" : ""
        print("\(TablePrinter.pad(name, 44)) \(text(ratio))  target \(text(target))\(isMissed)\n    \(note)")
    }

    static func text(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.1f", value) }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
