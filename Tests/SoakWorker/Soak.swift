import Foundation
import ModelStore
import TestSupport

/// `DIR SHIFTS COMMITS SEED [leak]`: the work of a service, in shifts of an hour. Each shift opens the store, makes COMMITS
/// commits, and closes the store. The clock moves with the commits.
///
/// During a shift, the number of records grows and shrinks. Live queries, models, scopes, readers of the feed and held snapshots
/// come and go. One consumer follows. A second consumer ends, and its lease expires. Retention removes change sets by their
/// number, and by age.
///
/// Prints one line after each shift: `sample` with `NAME=NUMBER` for each resource. With `leak`, it keeps each model that it
/// uses.
struct Soak {
    private static let shiftSeconds = 3_600.0
    private static let retainedSeconds = 900
    private static let mostRecords = 1_200
    private static let commitsPerVisit = 40
    private static let modelsPerVisit = 5

    private let directory: String
    private let shiftCount: Int
    private let commitCount: Int
    private let leaks: Bool
    private let clock = DayClock()
    private var random: TestRandom
    private var leaked: [Model<Reading>] = []
    /// A position of the previous shift, which retention has removed by the end of a shift.
    private var earlier: Position?

    init?(_ words: [String]) {
        guard words.count == 4 || words.count == 5, let shifts = Int(words[1]), let commits = Int(words[2]),
            let seed = UInt64(words[3])
        else { return nil }
        directory = words[0]
        shiftCount = shifts
        commitCount = commits
        random = TestRandom(seed: seed)
        leaks = words.last == "leak"
    }

    mutating func run() async throws {
        for shift in 0..<shiftCount {
            let counts = try await work()
            let sample = SoakSample(store: directory)
            say(
                "sample shift=\(shift) resident=\(sample.residentKibibytes) anonymous=\(sample.anonymousKibibytes) "
                    + "descriptors=\(sample.descriptorCount) threads=\(sample.threadCount) file=\(sample.fileKibibytes) "
                    + counts)
        }
        say("done")
    }

    /// Works for one shift, and returns the counts of the store's own objects at its end.
    private mutating func work() async throws -> String {
        let store = try open()
        let lastingScope = try store.scope("shift")
        var options = ConsumerOptions()
        // The clock does not run by itself. Also, a cancelled `Task.sleep` keeps its timer until the time has passed.
        options.sleep = { _ in try await sleepUntilCancelled() }
        let patient = options
        let tallying = Task {
            try await store.consume("tally", patient) { set, tx in
                let changes = try set.changes(of: Reading.self).count
                let count = try tx.get(Tally.self, id: "readings")?.count ?? 0
                try tx.upsert(Tally(name: "readings", count: count + changes))
            }
        }
        try await leaveConsumer(store)
        var held: StoreSnapshot? = try store.snapshot(at: store.position)
        var expiredCount = 0
        for number in 0..<commitCount {
            clock.advance(by: Self.shiftSeconds / Double(commitCount))
            try await write(number, store)
            if number == commitCount / 3 { held = nil }
            if number % Self.commitsPerVisit == 0 { try await visit(store) }
            if number % (Self.commitsPerVisit * 5) == 0 { try await readFeed(store) }
        }
        withExtendedLifetime(held) {}
        if let earlier { expiredCount += try await isExpired(earlier, store) ? 1 : 0 }
        earlier = try store.position
        for consumer in try store.consumers() where consumer.isExpired {
            expiredCount += 1
            try await store.deleteConsumer(consumer.name)
        }
        tallying.cancel()
        try await tallying.value
        lastingScope.close()
        await lastingScope.waitUntilClosed()
        let metrics = store.ownership.metrics
        let range = try store.feedRange
        let objects = metrics.objectCount + metrics.modelCount + metrics.scopeCount + metrics.pinCount
        let counts =
            "feed=\(range.upperBound - range.lowerBound) objects=\(objects) expired=\(expiredCount) "
            + "readers=\(try store.usage().readerCount) sequence=\(range.upperBound)"
        await store.shutdown()
        return counts
    }

    private func open() throws -> Store {
        var options = StoreOptions()
        options.durability = .relaxed
        options.clock = { [clock] in clock.now }
        options.limits.retainedAge = .seconds(Self.retainedSeconds)
        options.limits.retainedChangeSets = commitCount / 4
        options.limits.changedRecordLimit = 2_000
        return try Store(at: directory, records: Reading.self, Tally.self, options: options)
    }

    /// The number of records grows for half a shift, and then shrinks.
    private mutating func write(_ number: Int, _ store: Store) async throws {
        let phase = Double(number) / Double(commitCount)
        let wanted = Int(Double(Self.mostRecords) * (1 - abs(2 * phase - 1)))
        let id = random.below(Self.mostRecords)
        let reading = Reading(
            id: id, room: random.below(12), celsius: Double(random.below(400)) / 10,
            text: String(repeating: "x", count: random.below(300)))
        try await store.write { tx in
            if id < wanted { try tx.upsert(reading) } else { try tx.delete(Reading.self, id: id) }
        }
    }

    /// Uses some models and a live query in a scope.
    private mutating func visit(_ store: Store) async throws {
        let ids = (0..<Self.modelsPerVisit).map { _ in random.below(Self.mostRecords) }
        let room = random.below(12)
        let models = try await store.withScope("visit") { scope in
            var models: [Model<Reading>] = []
            for id in ids {
                guard let model = try store.modelIfPresent(Reading.self, id: id) else { continue }
                models.append(try scope.borrow(model))
            }
            try scope.observe { for id in ids { _ = try store.modelIfPresent(Reading.self, id: id)?.celsius } }
            let updates = store.updates(of: Reading.where { $0.room == room }.order { $0.celsius.descending }.limit(10))
            for try await update in updates {
                _ = update.results.count
                break
            }
            return models
        }
        if leaks { leaked += models }
    }

    /// Reads some of the newest change sets.
    private func readFeed(_ store: Store) async throws {
        let head = try store.position.sequence
        var left = min(20, head)
        for try await _ in store.changes(from: .after(sequence: head - left)) {
            left -= 1
            if left == 0 { break }
        }
    }

    /// Makes a consumer that holds back retention for a while, and ends.
    private func leaveConsumer(_ store: Store) async throws {
        var options = ConsumerOptions()
        options.lease = RetentionLease(changeSets: commitCount / 2, age: .seconds(1_800), byteCount: 1 << 30)
        options.start = .newest
        _ = try await store.holdConsumer("gone \(UUID())", options)
    }

    private func isExpired(_ position: Position, _ store: Store) async throws -> Bool {
        do {
            for try await _ in store.changes(since: position) { return false }
            return false
        } catch let error as StoreError where error.code == .positionCompacted {
            return true
        }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
