import Foundation

/// One side of the benchmark of commits, with the times of its commits.
final class CommitSide {
    let name: String
    let workload: any WorkloadSide
    private let directory: String
    /// The seconds of each commit, and whether it made a checkpoint of the redo log.
    private var commits: [(seconds: Double, isCheckpoint: Bool)] = []
    /// The bytes of the files after the load and after each turn.
    private var byteCounts: [Int] = []

    static let header =
        TablePrinter.pad("side", 34)
        + ["commits", "p50", "p99", "p99.9", "greatest"].map { TablePrinter.pad($0, 10, false) }.joined()

    private init(_ name: String, _ directory: String, _ open: (String) throws -> any WorkloadSide) throws {
        self.name = name
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        workload = try open(directory)
    }

    static func all(in directory: String) throws -> [CommitSide] {
        [
            try CommitSide("ModelStore", directory + "/log") { try ModelStoreWorkload(directory: $0) },
            try CommitSide("ModelStore, no redo log", directory + "/plain") {
                try ModelStoreWorkload(directory: $0, usesRedoLog: false)
            },
            try CommitSide("GRDB", directory + "/grdb") { try GRDBWorkload(directory: $0) },
            try CommitSide("GRDB, outbox by a trigger", directory + "/outbox") {
                try GRDBWorkload(directory: $0, hasOutbox: true)
            },
            try CommitSide("raw", directory + "/raw") { try RawWorkload(directory: $0) },
        ]
    }

    /// The commits of a second.
    var rate: Double { Double(commits.count) / commits.reduce(0) { $0 + $1.seconds } }

    /// Updates random records, one after the other.
    func update(_ count: Int, of recordCount: Int, seed: UInt64) async throws {
        if byteCounts.isEmpty { byteCounts.append(try byteCount()) }
        var random = SplitMix64(state: seed &* 7_919 &+ 3)
        var last = checkpointTime()
        for _ in 0..<count {
            let key = WorkloadKey.text(Int(random.next() % UInt64(recordCount)))
            let field = Int(random.next() % UInt64(WorkloadRecord.fieldCount))
            let value = WorkloadRecord.value(&random)
            let start = ContinuousClock.now
            try await workload.update(key, field: field, to: value)
            let seconds = (ContinuousClock.now - start).inSeconds
            let newest = checkpointTime()
            commits.append((seconds, newest != last))
            last = newest
        }
        byteCounts.append(try byteCount())
    }

    /// When the side file of the redo log was last written; nil without one.
    private func checkpointTime() -> Double? {
        var status = stat()
        guard unsafe stat(directory + "/redo.checkpoint", &status) == 0 else { return nil }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) * 1e-9
    }

    private func byteCount() throws -> Int { try Footprint.allocatedBytes(in: directory) }

    func printLines() {
        print(line(name, commits.map(\.seconds)))
        let checkpoints = commits.filter(\.isCheckpoint).map(\.seconds)
        guard !checkpoints.isEmpty else { return }
        print(line("    without a checkpoint", commits.filter { !$0.isCheckpoint }.map(\.seconds)))
        print(line("    with a checkpoint", checkpoints))
    }

    private func line(_ name: String, _ seconds: [Double]) -> String {
        let sorted = seconds.sorted()
        func text(_ share: Double) -> String {
            TablePrinter.number(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] * 1e6)
        }
        let cells = ["\(sorted.count)", text(0.5), text(0.99), text(0.999), text(1)]
        return TablePrinter.pad(name, 34) + cells.map { TablePrinter.pad($0, 10, false) }.joined()
    }

    func printGrowth() {
        let cells = byteCounts.map { TablePrinter.pad("\($0 >> 20)", 7, false) }.joined()
        let growth = Double(byteCounts[byteCounts.count - 1] - byteCounts[0]) / Double(commits.count)
        print(TablePrinter.pad(name, 34) + cells + "   \(Int(growth)) bytes a commit")
    }
}
