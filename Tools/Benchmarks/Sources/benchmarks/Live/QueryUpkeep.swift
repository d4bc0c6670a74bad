import Foundation
import ModelStore
import Observation

/// Measures the cost of a commit among many different live queries, of which it concerns a few.
struct QueryMatching {
    let queries: Int
    let commits: Int

    func run() async throws {
        let store = try await Store.items(100_000)
        defer { store.close() }
        // A live query, so that the dispatcher makes steps in both measurements.
        let first = try store.liveQuery(Item.where { $0.id == -1 })
        let alone = try await measure(store)
        let begin = ContinuousClock.now
        var live: [LiveQuery<Item>] = []
        for number in 0..<queries {
            let request: FetchRequest<Item> =
                switch number % 4 {
                case 0: Item.where { $0.id == number }
                case 1: Item.where { $0.group == number % 1_000 && $0.rank == number }
                case 2: Item.where { $0.rank > number * 10 && $0.rank < number * 10 + 40 }
                default:
                    Item.where { $0.group == number % 1_000 && $0.rank > number }.order { $0.rank.ascending }.limit(20)
                }
            live.append(try store.liveQuery(request))
        }
        let adding = (ContinuousClock.now - begin).inSeconds
        let before = store.liveQueryCounters
        let among = try await measure(store)
        let visited = Double(store.liveQueryCounters.visited - before.visited) / Double(commits + 20)
        print(
            String(
                format:
                    "matching among %d live queries: a commit takes %.1f µs, alone %.1f, in processor time of all threads %.1f and "
                    + "%.1f: %.1f µs more, %.1f queries visited; %.1f µs to add one",
                store.liveQueryCount, among.wall, alone.wall, among.processor, alone.processor,
                among.processor - alone.processor, visited, adding / Double(queries) * 1e6))
        withExtendedLifetime((first, live)) {}
    }

    /// Returns the median time of a commit and the mean of its processor time, in microseconds. Thread switches vary the time by
    /// more than the matching takes.
    private func measure(_ store: Store) async throws -> (wall: Double, processor: Double) {
        let before = Monotonic.processorNanoseconds
        let times = try await CommitTimes(commits) { try await change($0, store) }
        let count = Double(commits + CommitTimes.warmUp) * 1_000
        return (times.median, Double(Monotonic.processorNanoseconds - before) / count)
    }

    private func change(_ number: Int, _ store: Store) async throws {
        try await store.write { tx in
            try tx.update(Item.self, id: number * 37 % 100_000) { $0.rank = ($0.rank + 11) % 1_000_003 }
        }
    }
}

/// Measures a sorted window of 20 over many rows, which is updated in place.
struct WindowUpkeep {
    let rows: Int
    let commits: Int

    func run() async throws {
        let store = try await Store.items(rows)
        defer { store.close() }
        let model = try store.model(Item.self, id: rows - 1)
        let alone = try await CommitTimes(commits) { try await change($0, store) }
        let query = try store.liveQuery(FetchRequest(Item.self).order { $0.rank.ascending }.limit(20))
        let before = store.liveQueryCounters
        let watched = try await CommitTimes(commits) { try await change($0, store) }
        let after = store.liveQueryCounters
        print(
            String(
                format:
                    "a window of 20 of %d rows: a commit that moves a row of it takes %.1f µs, without the query %.1f; "
                    + "%d refills, %d rows looked at",
                rows, watched.median, alone.median, after.refills - before.refills, after.scanned - before.scanned))
        withExtendedLifetime((model, query)) {}
    }

    // Moves a row from the front of the order to its end, or back.
    private func change(_ number: Int, _ store: Store) async throws {
        try await store.write { tx in
            guard let item = try tx.first(FetchRequest(Item.self).order { $0.rank.ascending }) else { return }
            try tx.update(Item.self, id: item.id) { $0.rank += number % 2 == 0 ? 5 : 500_000 }
        }
    }
}

/// Measures a write of many rows under many live queries.
struct BulkUnderQueries {
    func run() async throws {
        for count in [0, 1_000] {
            let store = try await Store.items(1_000)
            defer { store.close() }
            let model = try store.model(Item.self, id: 0)
            let queries = try (0..<count).map { group in
                try store.liveQuery(Item.where { $0.group == group }.order { $0.rank.ascending }.limit(20))
            }
            let begin = ContinuousClock.now
            try await store.write { tx in
                for id in 1_000..<101_000 { try tx.insert(Item(id: id, group: id % 1_000, rank: id)) }
            }
            print(
                String(
                    format: "a write of 100000 rows under %d live queries: %.0f ms", count,
                    (ContinuousClock.now - begin).inSeconds * 1_000))
            withExtendedLifetime((model, queries)) {}
        }
    }
}

/// Measures a result of 100,000 rows.
struct LargeResult {
    let commits: Int

    func run() async throws {
        let store = try await Store.items(100_000)
        defer { store.close() }
        let model = try store.model(Item.self, id: 0)
        let alone = try await CommitTimes(commits) { try await change($0, store) }
        var updates = store.updates(of: FetchRequest(Item.self).order { $0.rank.ascending }).makeAsyncIterator()
        let begin = ContinuousClock.now
        let first = try await updates.next()
        let seconds = (ContinuousClock.now - begin).inSeconds
        let delivered = try await CommitTimes(commits) { number in
            try await change(number, store)
            _ = try await updates.next()
        }
        print(
            String(
                format:
                    "a live result of %d rows: first result after %.0f ms; an update is there %.1f µs after the commit began, "
                    + "which alone takes %.1f",
                first?.results.count ?? 0, seconds * 1_000, delivered.median, alone.median))
        withExtendedLifetime(model) {}
    }

    private func change(_ number: Int, _ store: Store) async throws {
        try await store.write { tx in
            try tx.update(Item.self, id: number * 37 % 100_000) { $0.rank = ($0.rank + 50_021) % 1_000_003 }
        }
    }
}
