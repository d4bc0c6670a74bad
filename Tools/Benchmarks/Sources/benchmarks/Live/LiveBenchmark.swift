import ArgumentParser
import Foundation
import ModelStore

/// Measures models and live queries: delivery to many observers, touched rows, matching among many queries, windows, memory,
/// reads.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks live
/// ```
struct LiveBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Measures models and live queries, and GRDB's ValueObservation for the same work.",
        discussion: "Commits are not synced, so that their time does not hide the step.")

    @Option(help: "Only these parts: observers, touched, matching, window, bulk, result, memory, reads.") var part:
        [String] = []
    @Option(help: "The number of commits for each median.") var commits = 200
    @Option(help: "The number of live queries in the part matching.") var queries = 100_000
    @Option(help: "The number of rows in the part window.") var rows = 1_000_000
    @Option(help: .hidden) var memoryOf: String?
    // Not `directory`, because the parent command would take an option of that name for itself.
    @Option(help: .hidden) var memoryStore: String?

    func run() async throws {
        if let memoryOf {
            guard let kind = LiveMemory(rawValue: memoryOf), let memoryStore else {
                throw BenchmarkError("a child process needs the name of its measurement, and a store")
            }
            return try await kind.measure(memoryStore)
        }
        if isWanted("observers") { try await ObserverDelivery(commits: commits).run() }
        if isWanted("touched") { try await BulkDelivery().run() }
        if isWanted("matching") { try await QueryMatching(queries: queries, commits: commits).run() }
        if isWanted("window") { try await WindowUpkeep(rows: rows, commits: commits).run() }
        if isWanted("bulk") { try await BulkUnderQueries().run() }
        if isWanted("result") { try await LargeResult(commits: commits).run() }
        if isWanted("memory") { try await LiveMemory.run() }
        if isWanted("reads") { try await TrackedReads().run() }
    }

    private func isWanted(_ part: String) -> Bool { self.part.isEmpty || self.part.contains(part) }
}

/// A row that is observed.
@Record
struct Item {
    @ID var id: Int
    @Indexed var group: Int
    @Indexed var rank: Int
    var value: Double = 0
    var note: String = ""
}

extension Store {
    /// Creates a store of items, in memory as far as the system allows.
    static func items(_ count: Int) async throws -> Store {
        let store = try Store.temporary(records: Item.self)
        try await store.addItems(count)
        return store
    }

    /// Inserts items with ids from 0 on.
    func addItems(_ count: Int) async throws {
        for first in stride(from: 0, to: count, by: 10_000) {
            try await write { tx in
                for id in first..<Swift.min(first + 10_000, count) {
                    try tx.insert(Item(id: id, group: id % 1_000, rank: id &* 7_919 % 1_000_003))
                }
            }
        }
    }
}

/// Runs commits one after the other and measures the time of each.
struct CommitTimes {
    /// The number of commits before the measured ones.
    static let warmUp = 20

    private let durations: Durations

    /// - Parameter commit: makes one commit, and waits for the measured effect.
    init(_ count: Int, commit: (Int) async throws -> Void) async throws {
        var nanoseconds: [Int] = []
        for number in 0..<count + CommitTimes.warmUp {
            let begin = Monotonic.nanoseconds
            try await commit(number)
            if number >= CommitTimes.warmUp { nanoseconds.append(Monotonic.nanoseconds - begin) }
        }
        durations = Durations(nanoseconds)
    }

    /// The median, in microseconds.
    var median: Double { durations.microseconds(at: 0.5) }
    /// The 99th percentile, in microseconds.
    var p99: Double { durations.microseconds(at: 0.99) }
}
