import ArgumentParser
import Foundation
import ModelStore
import ModelStoreReplay

/// Measures the cost of recording for a writer, and the speed of writing and replaying a trace.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks replay --directory /dev/shm
/// ```
struct ReplayBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Measures recording and replaying, against a writer alone and the target.")

    @Option(help: "The number of small change sets.") var count = 200_000
    @Option(help: "The directory for stores and traces.") var directory = NSTemporaryDirectory()
    @Option(help: "The number of repetitions.") var rounds = 5
    @Option(help: "The number of live-query subscribers beside the writer, in the measurement with subscribers.")
    var subscribers = 8

    func run() async throws {
        let folder = directory + "/replay-benchmark-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await recording(folder)
        try await recordingObservers(folder)
        try await replaying(folder)
    }

    /// Measures a writer with a recorder and without one, in turns.
    private func recording(_ folder: String) async throws {
        var ratios: [Double] = []
        for round in 0..<rounds {
            let alone = try await write(count, to: "\(folder)/alone\(round)", trace: nil)
            let recorded = try await write(count, to: "\(folder)/recorded\(round)", trace: "\(folder)/trace\(round)")
            ratios.append(Double(alone) / Double(recorded))
        }
        print("a writer that is recorded: \(median(ratios)) of one alone, change sets of one record, not synced")
    }

    /// Measures the same beside subscribers, which are recorded too. Each change set is a step, and one of the subscribers
    /// receives it.
    private func recordingObservers(_ folder: String) async throws {
        var ratios: [Double] = []
        // A step takes a few times as long as a commit.
        let count = max(count / 10, 1)
        for round in 0..<rounds {
            let path = "\(folder)/observed\(round)"
            let alone = try await write(count, to: path, trace: nil, subscribers: subscribers)
            let recorded = try await write(count, to: path, trace: path + ".trace", subscribers: subscribers)
            ratios.append(Double(alone) / Double(recorded))
        }
        print("the same beside \(subscribers) subscribers to live queries, with their updates: \(median(ratios))")
    }

    private func write(_ count: Int, to path: String, trace: String?, subscribers: Int = 0) async throws -> Int {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = count + 10
        let store = try Store(at: path, records: Visit.self, options: options)
        let recorder: Recorder? = if let trace { try await Recorder(store, to: trace) } else { nil }
        let following = try await follow(store, subscribers)
        let begin = Monotonic.nanoseconds
        for number in 0..<count {
            try await store.write { tx in try tx.insert(Self.visit(number)) }
        }
        let time = Monotonic.nanoseconds - begin
        for task in following {
            task.cancel()
            try await task.value
        }
        try await recorder?.finish()
        store.close()
        try FileManager.default.removeItem(atPath: path)
        return time
    }

    /// Starts tasks that each follow a live query of different records. Returns when all have received the first results.
    private func follow(_ store: Store, _ subscribers: Int) async throws -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<subscribers {
            let (begun, began) = AsyncStream<Void>.makeStream()
            let (low, high) = (number * 400 / subscribers, (number + 1) * 400 / subscribers)
            // A window, as a program that shows a list requests. Its updates do not grow with the number of records.
            let request = Visit.where { $0.place >= low && $0.place < high }.order { $0.id.descending }.limit(100)
            tasks.append(
                Task {
                    for try await _ in store.updates(of: request) { began.yield() }
                })
            for await _ in begun { break }
        }
        return tasks
    }

    /// Measures replays of traces with one record per change set.
    private func replaying(_ folder: String) async throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = count + 10
        let store = try Store(at: folder + "/source", records: Visit.self, options: options)
        // Many writes at once, because the creation of the store is not measured.
        for first in stride(from: 0, to: count, by: 1_000) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in first..<min(first + 1_000, count) {
                    group.addTask { try await store.write { tx in try tx.insert(Self.visit(number)) } }
                }
                try await group.waitForAll()
            }
        }
        let trace = folder + "/source.trace"
        var recording = RecordingOptions()
        recording.start = .oldest
        var (written, replayed): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            let begin = Monotonic.nanoseconds
            try store.record(to: trace, options: recording)
            let middle = Monotonic.nanoseconds
            let summary = try await Replayer.replay(trace, into: "\(folder)/replayed\(round)")
            let end = Monotonic.nanoseconds
            precondition(summary.changeSetCount > count && summary.hasEqualHashes)
            written.append(rate(middle - begin) / 100_000)
            replayed.append(rate(end - middle) / 100_000)
            try FileManager.default.removeItem(atPath: "\(folder)/replayed\(round)")
        }
        store.close()
        print("writing a trace of a feed: \(median(written)) times 100,000 change sets a second;", terminator: " ")
        print("replaying it, with each hash compared: \(median(replayed)) times")
    }

    private static func visit(_ number: Int) -> Visit {
        Visit(id: number, place: number % 400, day: number % 100, guest: "guest \(number % 10_000)")
    }

    private func rate(_ nanoseconds: Int) -> Double { Double(count) / Double(nanoseconds) * 1e9 }

    private func median(_ values: [Double]) -> String { TablePrinter.number(values.sorted()[values.count / 2]) }
}
