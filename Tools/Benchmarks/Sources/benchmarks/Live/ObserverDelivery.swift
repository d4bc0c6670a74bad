import Foundation
import GRDB
import ModelStore
import Synchronization

/// Measures the time from the start of a commit until the observers of a row have it, with many observers of one row each.
struct ObserverDelivery {
    let commits: Int

    func run() async throws {
        let store = try await Store.items(10_000)
        defer { store.close() }
        let plain = try await CommitTimes(commits) { number in
            _ = try await store.write { try $0.update(Item.self, id: 0) { $0.value = Double(number) } }
        }
        print("observers of one row each; an unsynced commit without observers takes \(us(plain.median))")
        for count in [1, 100, 1_000, 10_000] {
            let one = try await delivery(store, observers: count)
            // GRDB reruns each observer's query: with 10,000 observers that takes minutes.
            let peer = count <= 1_000 ? try await peerDelivery(observers: count) : nil
            var line = "  \(count) observers, one touched: \(us(one)) until it has the value"
            if let peer { line += "; GRDB \(us(peer))" }
            print(line)
        }
    }

    /// Returns the median time from the start of a commit until the touched observer has the value, in microseconds.
    private func delivery(_ store: Store, observers count: Int) async throws -> Double {
        let observers = try Observers(store, count)
        await observers.arrived.until(count)
        let times = try await CommitTimes(commits) { number in
            try await store.write { tx in
                try tx.update(Item.self, id: 0) { $0.value = Double(number + 1) * 1.5 + Double(count) }
            }
            await observers.arrived.until(count + number + 1)
        }
        await observers.end()
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

/// Measures one commit that changes many rows, each of which has an observer.
struct BulkDelivery {
    private static let rows = 10_000
    private static let commits = 50

    func run() async throws {
        let store = try await Store.items(BulkDelivery.rows)
        defer { store.close() }
        // The dispatcher makes no steps before a model exists.
        let writing = try await measure(store) { _ in }
        let observers = try Observers(store, BulkDelivery.rows)
        await observers.arrived.until(BulkDelivery.rows)
        let delivering = try await measure(store) { number in
            await observers.arrived.until((number + 2) * BulkDelivery.rows)
        }
        await observers.end()
        let models = try (0..<BulkDelivery.rows).map { try store.model(Item.self, id: $0) }
        let stepping = try await measure(store) { _ in }
        withExtendedLifetime(models) {}
        let waking = try await measureWaking()
        print(
            "\(BulkDelivery.rows) rows changed in one commit, for each row, in brackets processor time of all threads:")
        print("  writing alone \(each(writing)); with unobserved models \(each(stepping));")
        print("  until each row's observer has the value \(each(delivering))")
        print(
            "  delivery past the writing: \(each((delivering.wall - writing.wall, delivering.processor - writing.processor)))"
        )
        print("  as many tasks, each given a value by an AsyncStream of its own, without a store: \(each(waking))")
    }

    /// Returns the median time of a commit that changes all rows, in nanoseconds.
    private func measure(
        _ store: Store, until isDone: (Int) async -> Void
    ) async throws -> (wall: Double, processor: Double) {
        try await measure { number in
            try await store.write { tx in
                for id in 0..<BulkDelivery.rows { try tx.update(Item.self, id: id) { $0.value += 1.5 } }
            }
            await isDone(number)
        }
    }

    /// Returns the time that the language itself needs to wake as many tasks. It is the lower bound for any delivery to tasks.
    private func measureWaking() async throws -> (wall: Double, processor: Double) {
        let arrived = Arrivals()
        let streams = (0..<BulkDelivery.rows).map { _ in
            AsyncStream.makeStream(of: Double.self, bufferingPolicy: .bufferingNewest(1))
        }
        let tasks = streams.map { stream in Task { for await _ in stream.stream { arrived.add() } } }
        let waking = try await measure { number in
            for stream in streams { stream.continuation.yield(Double(number)) }
            await arrived.until((number + 1) * BulkDelivery.rows)
        }
        for stream in streams { stream.continuation.finish() }
        for task in tasks { await task.value }
        return waking
    }

    private func measure(
        _ body: (Int) async throws -> Void
    ) async throws -> (wall: Double, processor: Double) {
        let processor = Monotonic.processorNanoseconds
        let times = try await CommitTimes(BulkDelivery.commits, commit: body)
        let count = Double(BulkDelivery.commits + CommitTimes.warmUp)
        return (times.median * 1_000, Double(Monotonic.processorNanoseconds - processor) / count)
    }

    private func each(_ time: (wall: Double, processor: Double)) -> String {
        let rows = Double(BulkDelivery.rows) * 1_000
        return String(format: "%.2f µs (%.2f)", time.wall / rows, time.processor / rows)
    }
}

/// Tasks that wait for the values of one row each.
private struct Observers {
    let arrived = Arrivals()
    private let tasks: [Task<Void, Never>]

    init(_ store: Store, _ count: Int) throws {
        let arrived = arrived
        tasks = try (0..<count).map { id in
            let model = try store.model(Item.self, id: id)
            return Task { for await _ in model.values(of: \.value) { arrived.add() } }
        }
    }

    func end() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// Counts arrivals, for one waiting task.
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

    /// Waits until `count` values have arrived.
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
