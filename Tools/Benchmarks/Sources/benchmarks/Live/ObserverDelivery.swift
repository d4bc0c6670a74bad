import Foundation
import GRDB
import ModelStore
import Synchronization

/// From the beginning of a commit until those who observe a row have it, with many who observe one row each.
struct ObserverDelivery {
    let commits: Int

    func run() async throws {
        let store = try await Store.items(10_000)
        defer { store.close() }
        let plain = try await CommitTimes(commits) { number in
            try await store.write { try $0.update(Item.self, id: 0) { $0.value = Double(number) } }
        }
        print("observers of one row each; a commit that is not synced and observed by nobody takes \(us(plain.median))")
        for count in [1, 100, 1_000, 10_000] {
            let one = try await delivery(store, observers: count, touched: 1)
            let all = count == 10_000 ? try await delivery(store, observers: count, touched: count) : nil
            // It runs each observer's query again: with 10,000 that takes minutes.
            let peer = count <= 1_000 ? try await peerDelivery(observers: count) : nil
            var line = "  \(count) observers, one touched: \(us(one)) until it has the value"
            if let peer { line += "; GRDB \(us(peer))" }
            if let all { line += "; all touched \(us(all)), \(String(format: "%.2f", all / Double(count))) µs each" }
            print(line)
        }
    }

    /// The median time from the beginning of a commit until all touched observers have the value, in microseconds.
    private func delivery(_ store: Store, observers count: Int, touched: Int) async throws -> Double {
        let arrived = Arrivals()
        let tasks = try (0..<count).map { id in
            let model = try store.model(Item.self, id: id)
            return Task { for await _ in model.values(of: \.value) { arrived.add() } }
        }
        await arrived.until(count)
        var generation = count
        let times = try await CommitTimes(touched == 1 ? commits : 30) { number in
            generation += touched
            try await store.write { tx in
                for id in 0..<touched {
                    try tx.update(Item.self, id: id) { $0.value = Double(number + 1) * 1.5 + Double(count) }
                }
            }
            await arrived.until(generation)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        return times.median
    }

    private func peerDelivery(observers count: Int) async throws -> Double {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, value DOUBLE NOT NULL)")
            for id in 0..<count { try db.execute(sql: "INSERT INTO item VALUES (?, 0)", arguments: [id]) }
        }
        let arrived = Arrivals()
        var observers: [AnyDatabaseCancellable] = []
        for id in 0..<count {
            let observation = ValueObservation.tracking { db in
                try Double.fetchOne(db, sql: "SELECT value FROM item WHERE id = ?", arguments: [id])
            }.removeDuplicates()
            observers.append(
                observation.start(in: queue, scheduling: .async(onQueue: .global())) { _ in
                } onChange: { _ in
                    arrived.add()
                })
        }
        await arrived.until(count)
        var generation = count
        let times = try await CommitTimes(count > 1_000 ? 10 : commits) { number in
            generation += 1
            try await queue.write { db in
                try db.execute(sql: "UPDATE item SET value = ? WHERE id = 0", arguments: [Double(number + 1)])
            }
            await arrived.until(generation)
        }
        withExtendedLifetime(observers) {}
        return times.median
    }

    private func us(_ microseconds: Double) -> String { String(format: "%.0f µs", microseconds) }
}

/// Counts what has arrived, for one who waits.
final class Arrivals: Sendable {
    private struct State {
        var count = 0
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func add() {
        let ready = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let waiter = state.waiter, state.count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        ready?.resume()
    }

    /// Waits until so many have arrived.
    func until(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
