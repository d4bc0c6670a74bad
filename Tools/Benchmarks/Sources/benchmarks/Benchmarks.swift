import ArgumentParser
import Foundation

/// Measures ModelStore against GRDB and against LMDB's C interface, and prints a table of ratios.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks
/// swift run -c release --package-path Tools/Benchmarks benchmarks --only 2 --rounds 9 --json results.json
/// ```
///
/// Needs liblmdb-dev and libsqlite3-dev. `README.md` lists the comparisons.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures ModelStore against GRDB and against LMDB's C interface.",
        discussion: """
            All sides hold the same accounts, and the benchmark checks that their results are equal. Each row has \
            several rounds, in which the sides take turns. The table shows the medians, and how many times as fast as \
            the other sides ModelStore is, beside the targets.
            """,
        subcommands: [
            YCSB.self, CommitBenchmark.self, FeedBenchmark.self, LiveBenchmark.self, OwnershipBenchmark.self,
            PastBenchmark.self, TaskBenchmark.self,
            ReplayBenchmark.self, ReplicationBenchmark.self,
        ])

    @Option(help: "The number of accounts.") var rows = 200_000
    @Option(help: "The number of rounds for each row.") var rounds = 5
    @Option(help: "Only rows whose name begins with this text, such as 2 or 4a; may be repeated.") var only: [String] =
        []
    @Option(help: "The number of durable commits in a round.") var commits = 200
    @Option(help: "The directory for the files, on a real disk; the directory for temporary files by default.")
    var directory: String?
    @Option(help: "Also write the results to this file as JSON.") var json: String?
    @Option(help: "Compare the ratios with those in this file of an earlier run, and fail if one fell by a tenth.")
    var check: String?
    @Flag(
        help:
            "Measure processor time, which other programs distort less, except in rows 6 and 7, which wait for the disk."
    ) var processorTime = false
    @Option(help: .hidden) var child: String?
    @Option(help: .hidden) var childSide: String?

    func validate() throws {
        guard rows > 0, rounds > 0, commits > 0 else { throw ValidationError("the counts must be positive") }
    }

    func run() async throws {
        if let child, let task = ChildTask(rawValue: child), let directory {
            return try task.run(childSide.flatMap(SideKind.init(rawValue:)) ?? .raw, directory: directory, rows: rows)
        }
        let parent = directory ?? FileManager.default.temporaryDirectory.path
        let own = "\(parent)/benchmarks-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: own) }
        // Read before the run, which takes an hour.
        let baseline = try check.map(Baseline.init(contentsOf:))
        let session = Session(
            accountCount: rows, rounds: rounds, only: only, directory: own, countsProcessorTime: processorTime)
        print("\(rows) accounts, medians of \(rounds) rounds; time of one operation; ratios are ModelStore's speed")
        if processorTime { print("processor time in all rows except 6 and 7") }
        print(TablePrinter.header)
        let sides = try session.measureBulkInsert()
        var footprint = Footprint()
        if session.isWanted("8") { footprint = try measureFootprint(session) }
        try session.measureReading(sides)
        try session.measureFetching(sides)
        try session.measurePrefetching()
        try Streaming.measure(session)
        try await session.measureDurableWriting(sides, count: commits)
        try await session.measureConcurrentWriting(sides, count: commits * 8)
        for kind in SideKind.allCases { try sides[kind].close() }
        if session.isWanted("8") { footprint.printOut() }
        if let json { try writeJSON(session.rows, footprint, to: json) }
        try baseline?.check(session.rows)
    }

    private func measureFootprint(_ session: Session) throws -> Footprint {
        var footprint = Footprint()
        footprint.dataMebibytes = try Footprint.peakMebibytes(of: .data, nil, session.directory, rows: rows)
        for kind in SideKind.allCases {
            let bytes = try Footprint.allocatedBytes(in: session.path(kind, "bulk"))
            footprint.diskBytes[kind] = Double(bytes) / Double(rows)
            let directory = session.path(kind, "memory")
            footprint.insertMebibytes[kind] = try Footprint.peakMebibytes(of: .insert, kind, directory, rows: rows)
            footprint.readMebibytes[kind] = try Footprint.peakMebibytes(of: .read, kind, directory, rows: rows)
            try FileManager.default.removeItem(atPath: directory)
        }
        return footprint
    }

    private func writeJSON(_ rows: [TableRow], _ footprint: Footprint, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Results(rows: rows, footprint: footprint)).write(to: URL(fileURLWithPath: path))
    }
}
