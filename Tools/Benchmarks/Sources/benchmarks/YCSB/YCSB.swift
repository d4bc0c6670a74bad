import ArgumentParser
import Foundation
import Synchronization

/// Runs the core workloads A to F of YCSB.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks ycsb
/// ```
struct YCSB: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ycsb",
        abstract: "Runs YCSB's core workloads A to F, with one client and with many.",
        discussion: """
            Every side loads the same records of ten fields of 100 bytes, and then runs each workload with each number \
            of clients, in the order A, B, C, F, D, E. The operations of a client are the same on every side. Every \
            write waits for the disk. With one client, the benchmark compares everything that the sides read.
            """)

    @Option(help: "The number of records.") var records = 1_000_000
    @Option(help: "The number of operations in a workload that mostly reads.") var reads = 100_000
    @Option(help: "The number of operations in a workload of which half write.") var writes = 20_000
    @Option(help: "The numbers of clients.") var clients: [Int] = [1, 64]
    // Not `--only`: the parent has an option of that name, as with `--directory`, and would take the values of this option.
    @Option(help: "Only these workloads, such as A; may be repeated.") var workload: [String] = []
    @ParentCommand var benchmarks: Benchmarks

    func run() async throws {
        let parent = benchmarks.directory ?? FileManager.default.temporaryDirectory.path
        let own = "\(parent)/ycsb-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: own) }
        let sides = try SideKind.workloads.map { kind in (kind, try kind.openWorkload("\(own)/\(kind.rawValue)")) }
        defer { for (_, side) in sides { try? side.close() } }
        print("\(records) records; thousands of operations a second; ratios are ModelStore's speed")
        for (kind, side) in sides { print("loaded \(kind.rawValue): \(try load(side)) k/s") }
        print(
            "workload  clients" + SideKind.workloads.map { TablePrinter.pad($0.rawValue, 12, false) }.joined()
                + "   /GRDB  target    /raw")
        var keyCount = records
        for workload in Workload.inOrder where isWanted(workload) {
            for clientCount in clients {
                let counter = try await measure(workload, clientCount, sides, keyCount)
                keyCount = counter
            }
        }
        let counts = try sides.map { try $0.1.count() }
        guard counts.allSatisfy({ $0 == counts[0] }) else { throw BenchmarkError("the sides differ: \(counts)") }
    }

    private func isWanted(_ workload: Workload) -> Bool {
        self.workload.isEmpty || self.workload.contains(workload.rawValue)
    }

    private func load(_ side: any WorkloadSide) throws -> String {
        var random = SplitMix64(state: 1)
        let start = ContinuousClock.now
        var first = 0
        while first < records {
            let end = min(first + 10_000, records)
            try side.load((first..<end).map { WorkloadUser(key: WorkloadKey.text($0), &random) })
            first = end
        }
        return TablePrinter.number(Double(records) / (ContinuousClock.now - start).inSeconds / 1_000)
    }

    /// Runs a workload on all sides and prints its line. Returns the number of records afterwards.
    private func measure(
        _ workload: Workload, _ clientCount: Int, _ sides: [(SideKind, any WorkloadSide)], _ keyCount: Int
    ) async throws -> Int {
        let operations = workload.isDurable ? (clientCount == 1 ? writes / 10 : writes) : reads
        var speeds: [SideKind: Double] = [:]
        var found: [Int] = []
        var end = keyCount
        for (kind, side) in sides {
            let run = WorkloadRun(workload: workload, side: side, keyCount: keyCount)
            let start = ContinuousClock.now
            let sums = try await run.run(operations: operations, clients: clientCount)
            speeds[kind] = Double(operations) / (ContinuousClock.now - start).inSeconds / 1_000
            found.append(sums)
            end = run.keyCount
        }
        if clientCount == 1, !found.allSatisfy({ $0 == found[0] }) {
            throw BenchmarkError("workload \(workload.rawValue): the sides read \(found)")
        }
        let own = speeds[.modelStore] ?? 0
        var line = TablePrinter.pad(workload.rawValue, 10) + TablePrinter.pad("\(clientCount)", 7, false)
        for kind in SideKind.workloads { line += TablePrinter.pad(TablePrinter.number(speeds[kind] ?? 0), 12, false) }
        line += TablePrinter.pad(TablePrinter.number(own / (speeds[.grdb] ?? 1)), 8, false)
        let target = workload.target(clients: clientCount)
        line += TablePrinter.pad(target.map { "≥ \(TablePrinter.number($0))" } ?? "", 8, false)
        line += TablePrinter.pad(TablePrinter.number(own / (speeds[.raw] ?? 1)), 8, false)
        if let target, own / (speeds[.grdb] ?? 1) < target { line += "  below target" }
        print(line + "   " + workload.what)
        return end
    }
}

/// One workload on one side.
///
/// - `state` is protected by its mutex. Everything else is constant.
private final class WorkloadRun: Sendable {
    private struct State {
        var zipfian: Zipfian
        var nextKey: Int
    }

    private let workload: Workload
    private let side: any WorkloadSide
    private let loaded: Int
    private let zipfian: Zipfian
    private let state: Mutex<State>

    init(workload: Workload, side: any WorkloadSide, keyCount: Int) {
        self.workload = workload
        self.side = side
        loaded = keyCount
        zipfian = Zipfian(count: keyCount)
        state = Mutex(State(zipfian: zipfian, nextKey: keyCount))
    }

    /// The number of keys that were assigned.
    var keyCount: Int { state.withLock { $0.nextKey } }

    /// Runs this number of operations in total and returns the total length of all values read.
    func run(operations: Int, clients: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<clients {
                let own = operations * (client + 1) / clients - operations * client / clients
                group.addTask { try await self.runClient(client, own) }
            }
            return try await group.reduce(0, +)
        }
    }

    private func runClient(_ client: Int, _ operations: Int) async throws -> Int {
        var random = SplitMix64(state: UInt64(client) &* 7_919 &+ 11)
        var weight = 0
        for _ in 0..<operations {
            switch workload.operation(&random) {
            case .read: weight &+= try side.read(key(&random))
            case .update: try await update(key(&random), &random)
            case .readModifyWrite:
                let key = key(&random)
                weight &+= try side.read(key)
                try await update(key, &random)
            case .scan: weight &+= try side.scan(from: key(&random), count: 1 + Int(random.next() % 100))
            case .insert:
                let number = state.withLock { state in
                    state.nextKey += 1
                    return state.nextKey - 1
                }
                try await side.insert(WorkloadUser(key: WorkloadKey.text(number), &random))
                if workload == .d { state.withLock { $0.zipfian.grow() } }
            }
        }
        return weight
    }

    private func update(_ key: String, _ random: inout SplitMix64) async throws {
        let field = Int(random.next() % UInt64(WorkloadRecord.fieldCount))
        try await side.update(key, field: field, to: WorkloadRecord.value(&random))
    }

    private func key(_ random: inout SplitMix64) -> String {
        guard workload == .d else {
            return WorkloadKey.text(WorkloadKey.scrambled(zipfian.next(&random), count: loaded))
        }
        // The newest records first, as far as they are stored.
        let latest = state.withLock { $0.zipfian }
        return WorkloadKey.text(latest.count - 1 - latest.next(&random))
    }
}

extension SideKind {
    /// The sides that run the workloads.
    static let workloads: [SideKind] = [.modelStore, .grdb, .raw]

    func openWorkload(_ directory: String) throws -> any WorkloadSide {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        switch self {
        case .modelStore: return try ModelStoreWorkload(directory: directory)
        case .grdb, .plainGRDB: return try GRDBWorkload(directory: directory)
        case .raw: return try RawWorkload(directory: directory)
        }
    }
}
