import Foundation
import ModelStore

/// Measures how many change sets per second pass through one reader and through a hundred, while they are written.
struct FeedReaders {
    let directory: String
    let count: Int

    func run() async throws {
        print("\(count) commits that are not synced, of one change each")
        var alone = 0.0
        for readers in [0, 1, 100] {
            let (writing, delivered) = try await measure(readers)
            if readers == 0 { alone = writing }
            let rates = String(
                format: "writer %7.0f/s (%.2f of alone)   delivered %9.0f/s", writing, writing / alone, delivered)
            print("  \(readers) readers: \(rates)")
        }
    }

    private func measure(_ readers: Int) async throws -> (writing: Double, delivered: Double) {
        var options = StoreOptions()
        options.limits.retainedChangeSets = count * 2
        let store = try Store.temporary(records: Beat.self, options: options)
        defer { store.close() }
        let start = try store.position
        let count = count
        let begin = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<readers {
                group.addTask {
                    var seen = 0
                    for try await set in store.changes(since: start) {
                        seen += set.changes.count
                        if seen == count { break }
                    }
                }
            }
            for number in 0..<count {
                try await store.write { tx in try tx.insert(Beat(id: number, nanoseconds: 0)) }
            }
            let written = (ContinuousClock.now - begin).inSeconds
            try await group.waitForAll()
            let read = (ContinuousClock.now - begin).inSeconds
            return (Double(count) / written, Double(count * readers) / read)
        }
    }
}

/// Measures how fast a reader catches up from disk.
struct FeedCatchUp {
    let directory: String
    let count: Int
    /// The number of changes in one change set.
    let batch: Int

    func run() async throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = count
        let store = try Store(at: directory + "/catchup", records: Account.self, options: options)
        defer { store.close() }
        let start = try store.position
        var source = AccountSource()
        for first in stride(from: 0, to: count, by: batch) {
            let accounts = source.next(min(batch, count - first))
            try await store.write { tx in for account in accounts { try tx.insert(account) } }
        }
        print("\(count) changes in change sets of \(batch), read from the oldest")
        for isTyped in [false, true] {
            let begin = ContinuousClock.now
            var seen = 0
            for try await set in store.changes(since: start) {
                seen += isTyped ? try set.changes(of: Account.self).count : set.changes.count
                if seen == count { break }
            }
            let rate = Double(count) / (ContinuousClock.now - begin).inSeconds
            print(String(format: "  %@: %9.0f changes/s", isTyped ? "typed records" : "undecoded records", rate))
        }
    }
}

/// Measures the cost of a stopped reader for the writer, and in memory. Also measures a stopped consumer, for which the store
/// keeps the feed.
///
/// A store with such a reader and a store without one take turns, so that other load on the machine affects both.
struct StoppedReader {
    let count: Int
    private let turn = 5_000

    func run() async throws {
        try await run(isConsumer: false)
        try await run(isConsumer: true)
    }

    private func run(isConsumer: Bool) async throws {
        let name = isConsumer ? "consumer" : "reader"
        print("\(count) commits that are not synced, beside a \(name) that waited for one and stopped")
        let alone = try Store.temporary(records: Beat.self)
        let followed = try Store.temporary(records: Beat.self)
        defer {
            alone.close()
            followed.close()
        }
        let consumer = isConsumer ? try await followed.holdConsumer("stopped") : nil
        let reader = Task {
            var feed = (consumer?.changes ?? followed.changes(from: .newest)).makeAsyncIterator()
            // The first change that a consumer receives is the schema.
            if isConsumer { _ = try await feed.next() }
            _ = try await feed.next()
            try? await Task.sleep(for: .seconds(86_400))
        }
        // By now the reader waits. A reader that finds a change set at once would start none of the threads that might cost
        // anything.
        try await Task.sleep(for: .milliseconds(300))
        try await followed.write { tx in try tx.insert(Beat(id: -1, nanoseconds: 0)) }
        let before = MemoryUse.anonymousKibibytes
        var seconds = (alone: 0.0, followed: 0.0)
        for first in stride(from: 0, to: count, by: turn) {
            seconds.alone += try await write(from: first, to: alone)
            seconds.followed += try await write(from: first, to: followed)
        }
        let grown = MemoryUse.anonymousKibibytes - before
        print(
            String(
                format: "  without %7.0f commits/s, with it %7.0f (%.2f of alone), memory grew by %d KiB",
                Double(count) / seconds.alone, Double(count) / seconds.followed, seconds.alone / seconds.followed, grown
            ))
        reader.cancel()
        try await reader.value
        withExtendedLifetime(consumer) {}
    }

    private func write(from first: Int, to store: Store) async throws -> Double {
        let begin = ContinuousClock.now
        for number in first..<min(first + turn, count) {
            try await store.write { tx in try tx.upsert(Beat(id: number % 1_000, nanoseconds: number)) }
        }
        return (ContinuousClock.now - begin).inSeconds
    }
}

/// The memory use of this process.
enum MemoryUse {
    /// The memory that belongs to no file, in KiB.
    static var anonymousKibibytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
