import ArgumentParser
import Foundation

/// Measures how long durable commits take, with and without the redo log, while checkpoints are made, and how far the file grows
/// with one and more writing processes.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks commits
/// swift run -c release --package-path Tools/Benchmarks benchmarks commits --growth
/// ```
struct CommitBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits",
        abstract: "Measures the latency of durable commits, and the growth of the file under steady updates.",
        discussion: """
            One client updates one field of random records, one commit for each update. The sides take turns. The line \
            of ModelStore shows the commits that ended a checkpoint apart. With --growth, one, two and four processes \
            update the records instead, not synced. Use a real disk.
            """)

    @Option(help: "The number of records.") var records = 100_000
    @Option(help: "The number of commits on each side.") var updates = 20_000
    @Flag(help: "Instead show how far the file grows with one, two and four writing processes.") var growth = false
    @Option(help: ArgumentHelp("Update the records in this directory, as one of those processes.", visibility: .hidden))
    var writing: String?
    @Option(help: ArgumentHelp("Which of those processes this is.", visibility: .hidden)) var number = 0
    @ParentCommand var benchmarks: Benchmarks

    func run() async throws {
        if let writing { return try await GrowthOfProcesses.write(to: writing, updates, of: records, seed: number) }
        let parent = benchmarks.directory ?? FileManager.default.temporaryDirectory.path
        let own = "\(parent)/commits-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: own) }
        if growth { return try measureGrowth(in: own) }
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

    private func measureGrowth(in directory: String) throws {
        print("\(records) records, \(updates) updates by all processes together, not synced; MiB on the disk")
        for hasLog in [true, false] {
            for processCount in [1, 2, 4] {
                let place = "\(directory)/\(hasLog ? "log" : "plain")-\(processCount)"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                let workload = try ModelStoreWorkload(directory: place, usesRedoLog: hasLog)
                try load(workload)
                try workload.close()
                let before = try Footprint.allocatedBytes(in: place)
                let processes = GrowthOfProcesses(
                    directory: place, recordCount: records, updateCount: updates / processCount,
                    processCount: processCount)
                let greatest = try processes.run()
                print(
                    "    \(TablePrinter.pad(hasLog ? "with the log" : "without", 14)) \(processCount) processes:",
                    "\(before >> 20) before, \(greatest >> 20) at the most,",
                    "\(try Footprint.allocatedBytes(in: place) >> 20) after")
            }
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
