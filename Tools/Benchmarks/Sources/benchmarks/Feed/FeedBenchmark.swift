import ArgumentParser
import Foundation
import ModelStore

/// Measures the feed: the delay of delivery, the speed of readers, and the cost of the feed.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks feed
/// ```
struct FeedBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract:
            "Measures the feed: delivery, catching up, readers, consumers, a stopped reader, its cost to a bulk insert.",
        discussion:
            "There is no comparable library: compare the figures with the time of the commit alone, and with each other."
    )

    @Option(help: "The number of durable commits for the delays.") var durable = 1_000
    @Option(help: "The number of unsynced commits for the readers and consumers.") var unsynced =
        50_000
    @Option(help: "The number of changes that a reader catches up with.") var changes = 1_000_000
    @Option(help: "The number of these changes in one change set.") var perSet = 100
    @Option(help: "The number of commits beside a stopped reader.") var stopped = 1_000_000
    @Option(help: "The number of records in the transaction of the bulk insert.") var inserted = 200_000
    @Option(help: "Only these parts: delivery, readers, consumers, catchup, insert, stopped.") var part: [String] = []
    @ParentCommand var benchmarks: Benchmarks
    @Option(help: .hidden) var follow: String?

    func run() async throws {
        if let follow { return try await FeedFollower(path: follow, count: durable).run() }
        let parent = benchmarks.directory ?? FileManager.default.temporaryDirectory.path
        let own = "\(parent)/feed-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: own) }
        if isWanted("delivery") { try await FeedDelivery(directory: own, count: durable).run() }
        if isWanted("readers") { try await FeedReaders(directory: own, count: unsynced).run() }
        if isWanted("consumers") { try await FeedConsumers(count: unsynced).run() }
        if isWanted("catchup") { try await FeedCatchUp(directory: own, count: changes, batch: perSet).run() }
        if isWanted("insert") {
            try FeedInsert(directory: own, count: inserted, rounds: benchmarks.rounds).run()
        }
        if isWanted("stopped") { try await StoppedReader(count: stopped).run() }
    }

    private func isWanted(_ part: String) -> Bool { self.part.isEmpty || self.part.contains(part) }
}

/// A record that contains the time of its write.
@Record
struct Beat {
    @ID var id: Int
    var nanoseconds: Int
}

/// The system's monotonic clock, which all processes share, and this process's processor time.
enum Monotonic {
    static var nanoseconds: Int { read(CLOCK_MONOTONIC) }

    /// The processor time of all threads of this process.
    static var processorNanoseconds: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Sorted durations, for percentiles.
struct Durations {
    private var sorted: [Int]

    init(_ nanoseconds: [Int]) { sorted = nanoseconds.sorted() }

    /// Returns the duration below which a share `part` of all durations lie, in microseconds.
    func microseconds(at part: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1_000
    }

    /// The 50th and 99th percentiles as text.
    var text: String {
        String(format: "p50 %8.1f us   p99 %8.1f us", microseconds(at: 0.5), microseconds(at: 0.99))
    }
}
