import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import Testing

/// Consumers of a history's feed.
extension FeedModelRun {
    /// The change sets that a consumer received, in order.
    private final class Given: Sendable {
        private let sets = Mutex<[ChangeSet]>([])
        /// The numbers of the change sets, as the consumer handles them.
        let dealt = AsyncStream<UInt64>.makeStream()

        var all: [ChangeSet] { sets.withLock { $0 } }

        func add(_ set: ChangeSet) {
            sets.withLock { $0.append(set) }
            if set.isLastPart { dealt.continuation.yield(set.sequence) }
        }
    }

    /// Resumes one of the consumers, and ends it after it has seen all writes so far.
    func consume() async throws {
        let place = Int.random(in: consumers.indices, using: &random)
        var consumer = consumers[place]
        var reading = FeedModelReading(version: anyVersion(), wanted: consumer.wanted)
        reading.changesPerPart = [1, 4, 100].randomElement(using: &random) ?? 1
        var options = ConsumerOptions()
        options.lease = consumer.lease
        options.feed = reading.options
        options.changeSetsPerCommit = Int.random(in: 1...8, using: &random)

        let start = consumer.position ?? newest
        options.start = .after(sequence: start)
        // Taking the consumer is a write, which notes a pending foreign commit. From then on threads wait for foreign commits.
        if isForeignPending { noteReset() }
        isWatched = true
        let given = Given()
        let consuming = Task { [store, consumer, options, version = reading.version] in
            defer { given.dealt.continuation.finish() }
            guard consumer.counts else { return try await store.consume(consumer.name, options) { given.add($0) } }
            try await store.consume(consumer.name, options) { set, tx in
                let count = try version.changes(set).count + (try tx.get(Tally.self, id: consumer.name)?.count ?? 0)
                try tx.upsert(Tally(name: consumer.name, count: count))
                given.add(set)
            }
        }
        let mark = try await writeMark()
        for await sequence in given.dealt.stream where sequence >= mark { break }
        consuming.cancel()
        let result = await consuming.result
        noteTallies(to: try store.position.sequence)
        positions.append(try store.position)

        let known = try await released(consumer.name)
        let end = known.position.sequence
        var progress = Progress(reading, after: start)
        if consumer.counts {
            consumer.count += expectedCount(reading, start, end)
            let count = try store.read { try $0.get(Tally.self, id: consumer.name) }?.count
            #expect(count ?? 0 == consumer.count, "seed \(seed), \(consumer.name) from \(start) to \(end)")
        } else {
            for set in given.all { check(set, &progress) }
        }
        consumer.position = end
        switch result {
        case .success:
            #expect(
                end >= mark && progress.pending.isEmpty && progress.reached <= end, "seed \(seed), \(consumer.name)")
            #expect(
                consumer.counts || progress.reached >= mark, "seed \(seed), \(consumer.name) from \(start) to \(end)")
        case .failure(let error as StoreError) where error.code == .consumerExpired:
            #expect(known.isExpired && isRemovable(end + 1), "seed \(seed), \(consumer.name) at \(end)")
            #expect(newest - end > UInt64(consumer.lease.changeSets), "seed \(seed), \(consumer.name) at \(end)")
            try await store.resetConsumer(consumer.name, to: .newest)
            consumer.position = newest
        case .failure(let error): Issue.record("seed \(seed), \(consumer.name) at \(start): \(error)")
        }
        consumers[place] = consumer
    }

    /// Returns the stored state of a consumer after its release. The writer may release its last closure after the consumer ends.
    private func released(_ name: String) async throws -> ConsumerInformation {
        while true {
            let known = try #require(try store.consumers().first { $0.name == name }, "seed \(seed)")
            if !known.isHeld { return known }
            await Task.yield()
        }
    }

    private func expectedCount(_ reading: FeedModelReading, _ start: UInt64, _ end: UInt64) -> Int {
        var count = 0
        for sequence in start..<max(start, end) {
            if let noted = entries[sequence + 1] { count += reading.expected(noted)?.count ?? 0 }
        }
        return count
    }
}
