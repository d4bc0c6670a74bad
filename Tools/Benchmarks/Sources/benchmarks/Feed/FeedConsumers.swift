import Foundation
import ModelStore

/// Measures how many change sets per second one consumer processes, and a hundred consumers, when the change sets are already
/// written.
struct FeedConsumers {
    let count: Int

    /// The number of consumers, and the divisor of the number of change sets, because a hundred consumers take long.
    private static let groups = [(consumers: 1, part: 1), (consumers: 100, part: 10)]

    func run() async throws {
        print("change sets of one change each that wait for consumers, held against commits alone, nothing synced")
        for isInStore in [true, false] {
            for group in Self.groups {
                let run = try await Run(
                    consumers: group.consumers, changeSets: max(count / group.part, 1), isInStore: isInStore)
                let (commits, dealt) = try await run.measure()
                let name = "\(group.consumers) with effects \(isInStore ? "in the store" : "elsewhere")"
                print(
                    String(
                        format: "  %@%9.0f change sets/s (%.2f of %.0f commits/s)",
                        name.padding(toLength: 34, withPad: " ", startingAt: 0), dealt, dealt / commits, commits))
            }
        }
    }

    /// The number of beats that a consumer has processed.
    @Record
    struct Dealt {
        @ID var consumer: String
        var count: Int
    }

    /// One run with some consumers of one store.
    private struct Run {
        private let store: Store
        private let start: Position
        private let consumers: Int
        private let changeSets: Int
        private let isInStore: Bool

        init(consumers: Int, changeSets: Int, isInStore: Bool) async throws {
            self.consumers = consumers
            self.changeSets = changeSets
            self.isInStore = isInStore
            var options = StoreOptions()
            // The writes of the consumers are in the feed as well.
            options.limits.retainedChangeSets = changeSets * 4
            store = try Store.temporary(records: Beat.self, Dealt.self, options: options)
            start = try store.position
        }

        /// Returns the commits per second without a consumer, and the change sets per second that all consumers together process
        /// afterwards.
        func measure() async throws -> (commits: Double, dealt: Double) {
            defer { store.close() }
            let begin = ContinuousClock.now
            for number in 0..<changeSets {
                try await store.write { tx in try tx.insert(Beat(id: number, nanoseconds: 0)) }
            }
            let written = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<consumers { group.addTask { try await consume("consumer-\(number)") } }
                try await group.waitForAll()
            }
            let dealt = (ContinuousClock.now - written).inSeconds
            return (
                Double(changeSets) / (written - begin).inSeconds, Double(changeSets) * Double(consumers) / dealt
            )
        }

        /// Consumes all written change sets, and records them.
        private func consume(_ name: String) async throws {
            var options = ConsumerOptions(only: FeedFilter(Beat.self))
            options.start = .after(start)
            let last = changeSets - 1
            let (end, ended) = AsyncStream<Never>.makeStream()
            let consuming = Task { [store, options, isInStore] in
                defer { ended.finish() }
                guard isInStore else {
                    return try await store.consume(name, options) { set in
                        if try set.changes(of: Beat.self).contains(where: { $0.id == last }) { ended.finish() }
                    }
                }
                try await store.consume(name, options) { set, tx in
                    let beats = try set.changes(of: Beat.self)
                    let count = try tx.get(Dealt.self, id: name)?.count ?? 0
                    try tx.upsert(Dealt(consumer: name, count: count + beats.count))
                    if beats.contains(where: { $0.id == last }) { ended.finish() }
                }
            }
            for await _ in end {}
            consuming.cancel()
            try await consuming.value
        }
    }
}
