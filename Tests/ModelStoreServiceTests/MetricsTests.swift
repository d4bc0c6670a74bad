#if ServiceLifecycle && Logging && Metrics
import Foundation
import Logging
import Metrics
import MetricsTestKit
import ModelStore
import ModelStoreService
import ModelStoreTesting
import ServiceLifecycle
import TestSupport
import Testing

@testable import ModelStoreReplication

/// The metrics that stores and consumers report.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct MetricsTests {
    private let seen = TestMetrics()
    private let metrics: StoreMetrics
    private let dimensions = [("store", "shop")]

    init() { metrics = StoreMetrics(name: "shop", factory: seen) }

    private func open(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
        var options = StoreOptions()
        options.countEvents(with: metrics)
        change(&options)
        return try TestStore.temporary(options)
    }

    private func total(_ label: String) -> Int64 { seen.counterTotal(label: "modelstore_" + label) }

    private func gauge(_ label: String) throws -> Double? {
        try seen.expectGauge("modelstore_" + label, dimensions).lastValue
    }

    @Test func `commits, change sets and changes are counted and timed when their writes return`() async throws {
        let store = try open()
        for batch in 0..<4 {
            try await store.write { tx in
                for id in 0..<5 { try tx.insert(Sale(id: batch * 5 + id)) }
            }
        }
        #expect(total("commits") == 4)
        #expect(total("change_sets") == 4)
        #expect(total("changes") == 20)
        let durations = try seen.expectTimer("modelstore_commit_duration", dimensions).values
        #expect(durations.count == 4 && durations.allSatisfy { $0 > 0 })
    }

    @Test func `closures that commit together are one commit, and those that throw are counted apart`() async throws {
        let store = try open()
        await withTaskGroup { group in
            for id in 0..<200 {
                group.addTask {
                    _ = try? await store.write { tx in
                        try tx.insert(Sale(id: id))
                        if id % 4 == 0 { throw Refusal() }
                    }
                }
            }
        }
        #expect(total("change_sets") == 150)
        #expect(total("changes") == 150)
        let closures = try seen.expectRecorder("modelstore_commit_closures", dimensions).values
        #expect(closures.count == Int(total("commits")))
        #expect(closures.reduce(0, +) == 150)
        // A closure that threw alone in its batch left no commit, so the metric does not include it.
        #expect(total("undone_closures") <= 50)
    }

    @Test func `the state is reported as it is at that moment`() async throws {
        let store = try open()
        try await store.sell(0..<10)
        try metrics.report(store)
        let usage = try store.usage()
        #expect(try gauge("map_bytes") == Double(usage.mapByteCount))
        #expect(try gauge("map_used_bytes") == Double(usage.usedByteCount))
        #expect(try gauge("map_use") == Double(usage.usedByteCount) / Double(usage.mapByteCount))
        #expect(try gauge("feed_position") == Double(store.position.sequence))
        #expect(try gauge("oldest_reader_age") == 0)
        #expect(try gauge("queued_writes") == 0)
    }

    @Test func `the redo log is reported as it is at that moment`() async throws {
        // A store in memory has no log.
        let files = TestStore()
        let store = try files.open()
        defer { store.close() }
        try await store.sell(0..<10)
        try metrics.report(store)
        let log = try #require(try store.usage().redoLog)
        #expect(try gauge("redo_log_bytes") == Double(log.byteCount) && log.byteCount > 0)
        #expect(try gauge("redo_log_checkpoint_age") == Double(log.checkpointAge) && log.checkpointAge > 0)
        #expect(try gauge("redo_log_pin_age") == Double(log.pinAge) && log.pinAge > 0)
        #expect(try gauge("redo_log_pin_bytes") == Double(log.pinByteCount))
    }

    @Test func `the progress of a replica is reported`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let log = MemoryLog()
        let store = try await Store.open(at: path, records: Sale.self, replication: .shared(log, node: "one"))
        try await store.sell(0..<3)
        try metrics.report(store)
        #expect(try gauge("replication_applied") == Double(store.replication?.applied.index ?? 0))
        #expect(try gauge("replication_lag") == 0 && gauge("replication_connected") == 1)
        #expect(try gauge("replication_stopped") == 0)
        #expect(try #require(try gauge("replication_age")) >= 0)
        log.byteLimit = 4 * (try await log.usage().byteCount)
        await store.replicator?.keepUp()
        try metrics.report(store)
        #expect(try gauge("replication_log_bytes") == Double(try await log.usage().byteCount))
        #expect(try gauge("replication_log_use") == 0.25)
        log.isCut = true
        _ = try? await store.sell(3..<4)
        try metrics.report(store)
        #expect(try gauge("replication_connected") == 0)
        store.close()
    }

    @Test func `what is kept alive is reported as it is at that moment`() async throws {
        let store = try open()
        try await store.sell(0..<3)
        func expect(models: Int, objects: Int, pins: Int, scopes: Int, leaks: Int) throws {
            try metrics.report(store)
            #expect(try gauge("models") == Double(models) && gauge("owned_objects") == Double(objects))
            #expect(try gauge("pins") == Double(pins) && gauge("scopes") == Double(scopes))
            #expect(try gauge("leaks") == Double(leaks))
        }
        try expect(models: 0, objects: 0, pins: 0, scopes: 0, leaks: 0)
        let scope = try store.scope("shop")
        let child = try scope.child("till")
        let (first, second) = (try store.model(Sale.self, id: 0), try store.model(Sale.self, id: 1))
        try scope.borrow(first)
        try child.borrow(first)
        try child.own(second)
        try expect(models: 2, objects: 2, pins: 3, scopes: 2, leaks: 0)
        child.close()
        // No scope holds the second model any more, only this test.
        try expect(models: 2, objects: 1, pins: 1, scopes: 1, leaks: 1)
        scope.close()
        try expect(models: 2, objects: 0, pins: 0, scopes: 0, leaks: 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `the age of the oldest reader counts the commits since its snapshot`() async throws {
        let store = try open()
        try await store.sell(0..<1)
        let isReading = Signal()
        let mayEnd = DispatchSignal()
        let hasEnded = Signal()
        // This thread may block.
        Thread.detachNewThread {
            try? store.read { tx in
                _ = try tx.get(Sale.self, id: 0)
                isReading.give()
                mayEnd.wait()
            }
            hasEnded.give()
        }
        await isReading.wait()
        try await store.sell(1..<8)
        try metrics.report(store)
        mayEnd.give()
        await hasEnded.wait()
        #expect(try gauge("oldest_reader_age") == 7)
        #expect(try #require(try gauge("readers")) >= 1)
    }

    @Test func `the lag of each consumer is what it has not seen, and goes with the consumer`() async throws {
        let store = try open()
        try await store.sell(0..<5)
        var options = ConsumerOptions()
        options.start = .after(sequence: try store.position.sequence - 3)
        _ = try await store.holdConsumer("slow", options)
        options.start = .newest
        _ = try await store.holdConsumer("fast", options)
        try metrics.report(store)
        func lag(_ name: String) -> Double? {
            seen.recorders(label: "modelstore_consumer_lag", dimensions: [("consumer", name)]).first?.lastValue
        }
        #expect(lag("slow") == 3)
        #expect(lag("fast") == 0)
        try await store.deleteConsumer("fast")
        try metrics.report(store)
        #expect(lag("slow") == 3)
        #expect(lag("fast") == nil)
    }

    @Test func `retries and skips are counted by consumer`() async throws {
        let store = try open()
        try await store.sell(0..<2)
        let skipped = Signal()
        var options = ConsumerOptions()
        options.start = .after(sequence: try store.position.sequence - 2)
        options.retry.attempts = 3
        options.failurePolicy = .skip
        options.sleep = { _ in }
        options.onEvent = { if case .skipped = $0 { skipped.give() } }
        options.countEvents(of: "mailer", with: metrics)
        let consuming = Task { [options] in
            try await store.consume("mailer", options) { _ in throw Refusal() }
        }
        await skipped.wait()
        while total("consumer_skips") < 2 { try await nextTurn() }
        consuming.cancel()
        try await consuming.value
        let mailer = dimensions + [("consumer", "mailer")]
        #expect(try seen.expectCounter("modelstore_consumer_retries", mailer).totalValue == 4)
        #expect(try seen.expectCounter("modelstore_consumer_skips", mailer).totalValue == 2)
    }

    @Test func `a service reports at its interval until the group shuts down`() async throws {
        let store = try open()
        try await store.sell(0..<3)
        let asked = Notes<Duration>()
        let isAtThird = Signal()
        let polling = StoreMetricsService(store, metrics, every: .seconds(7)) { interval in
            asked.note(interval)
            guard asked.values.count >= 3 else { return }
            isAtThird.give()
            try await cancellation()
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(services: [StoreService(store), polling], logger: logger)
        let running = Task { try await group.run() }
        await isAtThird.wait()
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(asked.values == [.seconds(7), .seconds(7), .seconds(7)])
        let positions = try seen.expectGauge("modelstore_feed_position", dimensions).values
        #expect(positions.count == 3)
        #expect(total("poll_failures") == 0)
    }

    @Test func `a store that cannot be read is counted and asked again`() async throws {
        let store = try open()
        await store.shutdown()
        let rounds = Notes<Int>()
        await metrics.follow(store) { _ in
            rounds.note(0)
            if rounds.values.count == 3 { throw Refusal() }
        }
        #expect(total("poll_failures") == 3)
    }
}
#endif
