#if Metrics
import LMDB
public import Metrics
public import ModelStore
import ModelStoreReplication
import StoreEngine

/// The metrics of one store.
///
/// After ``ModelStore/StoreOptions/countEvents(with:)`` and ``ModelStore/ConsumerOptions/countEvents(of:with:)``, events add to
/// counters and timers as they happen. ``follow(_:every:sleep:)`` reads the state at intervals.
///
/// All metrics have the dimension `store`; those of consumers also have `consumer`. The article *Services* lists them.
public final class StoreMetrics: Sendable {
    private let dimensions: [(String, String)]
    private let factory: any MetricsFactory
    private let commits: Counter
    private let commitFailures: Counter
    private let commitDuration: Timer
    private let commitClosures: Recorder
    private let undoneClosures: Counter
    private let changeSets: Counter
    private let changes: Counter
    private let foreignWrites: Counter
    private let observationFailures: Counter
    private let consumerExpiries: Counter
    private let pollFailures: Counter
    /// The gauges of the consumers at the last report.
    private let lags = HandoverMutex<[String: Gauge]>([:])

    /// Creates the metrics of a store.
    ///
    /// - Parameters:
    ///   - name: the store's name, for the dimension `store`.
    ///   - factory: makes the metrics.
    public init(name: String, factory: any MetricsFactory = MetricsSystem.factory) {
        let dimensions = [("store", name)]
        func counter(_ label: String) -> Counter {
            Counter(label: "modelstore_" + label, dimensions: dimensions, factory: factory)
        }
        self.dimensions = dimensions
        self.factory = factory
        commits = counter("commits")
        commitFailures = counter("commit_failures")
        commitDuration = Timer(label: "modelstore_commit_duration", dimensions: dimensions, factory: factory)
        commitClosures = Recorder(label: "modelstore_commit_closures", dimensions: dimensions, factory: factory)
        undoneClosures = counter("undone_closures")
        changeSets = counter("change_sets")
        changes = counter("changes")
        foreignWrites = counter("foreign_writes")
        observationFailures = counter("observation_failures")
        consumerExpiries = counter("consumer_expiries")
        pollFailures = counter("poll_failures")
    }

    // MARK: Events

    /// Counts an event of the store.
    func count(_ event: StoreEvent) {
        switch event {
        case .committed(let report):
            commits.increment()
            commitDuration.recordNanoseconds(report.duration.nanoseconds)
            commitClosures.record(report.closureCount)
            undoneClosures.increment(by: report.failedClosureCount)
            changeSets.increment(by: report.changeSetCount)
            changes.increment(by: report.changeCount)
        case .commitFailed: commitFailures.increment()
        case .foreignWrite: foreignWrites.increment()
        case .consumerExpired: consumerExpiries.increment()
        // Gauges report the map's size, the oldest reader and the log's room.
        case .mapGrew, .writerBlocked, .recoveryAwaited, .filesMended, .snapshotHeld, .logFilling, .olderFormat: break
        case .observationFailed: observationFailures.increment()
        }
    }

    /// A counter of one consumer.
    func counter(_ label: String, consumer: String) -> Counter {
        Counter(label: "modelstore_" + label, dimensions: dimensions(consumer), factory: factory)
    }

    private func dimensions(_ consumer: String) -> [(String, String)] { dimensions + [("consumer", consumer)] }

    // MARK: State

    /// Reports a store's state at intervals, until the task is cancelled.
    ///
    /// If the state cannot be read, `modelstore_poll_failures` is incremented, and the next interval retries.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - interval: the time between two reports.
    ///   - sleep: waits between reports; for tests. If it throws, the loop ends.
    public func follow(
        _ store: Store, every interval: Duration = .seconds(10),
        sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async {
        while !Task.isCancelled {
            do {
                try report(store)
            } catch {
                pollFailures.increment()
            }
            do {
                try await sleep(interval)
            } catch {
                return
            }
        }
    }

    /// Reports a store's state once.
    ///
    /// - Throws: ``/ModelStore/StoreError``.
    public func report(_ store: Store) throws {
        let usage = try store.usage()
        record("queued_writes", usage.queuedWriteCount)
        record("map_bytes", usage.mapByteCount)
        record("map_used_bytes", usage.usedByteCount)
        record("map_use", Double(usage.usedByteCount) / Double(usage.mapByteCount))
        record("readers", usage.readerCount)
        record("oldest_reader_age", usage.oldestReaderAge)
        record("oldest_reader_bytes", usage.oldestReaderByteCount)
        if let log = usage.redoLog {
            record("redo_log_bytes", log.byteCount)
            record("redo_log_checkpoint_age", log.checkpointAge)
            record("redo_log_pin_age", log.pinAge)
            record("redo_log_pin_bytes", log.pinByteCount)
        }
        let ownership = store.ownership.metrics
        record("models", ownership.modelCount)
        record("owned_objects", ownership.objectCount)
        record("pins", ownership.pinCount)
        record("scopes", ownership.scopeCount)
        record("leaks", ownership.leakCount)
        record("feed_position", try store.position.sequence)
        if let status = store.replication { report(status) }
        report(try store.consumers().map { ($0.name, $0.lag) })
    }

    private func report(_ status: ReplicationStatus) {
        record("replication_applied", status.applied.index)
        record("replication_lag", status.lag)
        // Without an answer of the log since the start, the age is unknown.
        if let confirmed = status.confirmed { record("replication_age", (.now - confirmed) / .seconds(1)) }
        if let usage = status.logUsage { record("replication_log_bytes", usage.byteCount) }
        if let share = status.logUsage?.share { record("replication_log_use", share) }
        let isConnected = if case .disconnected = status.state { false } else { true }
        let isStopped = if case .stopped = status.state { true } else { false }
        record("replication_connected", isConnected ? 1 : 0)
        record("replication_stopped", isStopped ? 1 : 0)
    }

    private func report(_ current: [(name: String, lag: UInt64)]) {
        lags.withLock { lags in
            let before = lags
            lags = [:]
            for (name, lag) in current {
                let gauge =
                    before[name]
                    ?? Gauge(label: "modelstore_consumer_lag", dimensions: dimensions(name), factory: factory)
                gauge.record(lag)
                lags[name] = gauge
            }
            // A deleted consumer has no lag, so its gauge must not keep the last value.
            for (name, gauge) in before where lags[name] == nil { gauge.destroy() }
        }
    }

    private func record(_ label: String, _ value: some BinaryInteger) {
        Gauge(label: "modelstore_" + label, dimensions: dimensions, factory: factory).record(value)
    }

    private func record(_ label: String, _ value: Double) {
        Gauge(label: "modelstore_" + label, dimensions: dimensions, factory: factory).record(value)
    }
}

extension Duration {
    /// The duration in whole nanoseconds.
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
#endif
