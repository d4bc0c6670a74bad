import ArgumentParser
import Foundation

/// Measures how long durable commits take, with and without the redo log, while checkpoints are made, and how far the file grows.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks commits
/// ```
struct CommitBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits",
        abstract: "Measures the latency of durable commits, and the growth of the file under steady updates.",
        discussion: """
            One client updates one field of random records, one commit for each update. The sides take turns. The line \
            of ModelStore shows the commits that made a checkpoint apart. Use a real disk.
            """)

    @Option(help: "The number of records.") var records = 100_000
    @Option(help: "The number of commits on each side.") var updates = 20_000
    @Option(help: "Instead measure a checkpoint of at least this many unsynced MiB.") var dirty: Int?
    @ParentCommand var benchmarks: Benchmarks

    func run() async throws {
        let parent = benchmarks.directory ?? FileManager.default.temporaryDirectory.path
        let own = "\(parent)/commits-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: own) }
        if let dirty { return try await measureCheckpoint(of: dirty << 20, in: own) }
        let sides = try CommitSide.all(in: own)
        defer { for side in sides { try? side.workload.close() } }
        for side in sides { try load(side.workload) }
        let turns = 10
        for turn in 0..<turns {
            for place in sides.indices {
                let side = sides[(place + turn) % sides.count]
                try await side.update(updates / turns, of: records, seed: UInt64(turn))
            }
        }
        print("\(records) records, \(updates) durable commits of one update on each side; microseconds")
        print(CommitSide.header)
        for side in sides { side.printLines() }
        print("bytes of the files after the load and after each tenth of the commits, in MiB")
        for side in sides { side.printGrowth() }
        let rates = sides.map(\.rate)
        print("commits a second, ModelStore's over the others:")
        for (side, rate) in zip(sides, rates).dropFirst() {
            print("    \(TablePrinter.pad(side.name, 24)) \(TablePrinter.number(rates[0] / rate))")
        }
    }

    private func measureCheckpoint(of byteCount: Int, in directory: String) async throws {
        let benchmark = DirtyCheckpoint(byteCount: byteCount, directory: directory)
        print("a durable commit that makes a checkpoint of unsynced data, and one sync of a plain file of that size")
        for _ in 0..<benchmarks.rounds {
            let round = try await benchmark.measure()
            print(
                "    \(round.byteCount >> 20) MiB, \(round.dirtyByteCount >> 20) of them unsynced: \(TablePrinter.number(round.checkpoint)) s, the file",
                "\(TablePrinter.number(round.file)) s, ratio \(TablePrinter.number(round.checkpoint / round.file));",
                "the next commit \(TablePrinter.number(round.next * 1e6)) µs")
        }
    }

    private func load(_ side: any WorkloadSide) throws {
        var random = SplitMix64(state: 1)
        for first in stride(from: 0, to: records, by: 10_000) {
            try side.load(
                (first..<min(first + 10_000, records)).map { WorkloadUser(key: WorkloadKey.text($0), &random) })
        }
    }
}
