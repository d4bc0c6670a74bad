#if ServiceLifecycle && Metrics
public import ModelStore
public import ServiceLifecycle

/// Reports the state of a store to metrics at intervals, until the service group shuts down.
public struct StoreMetricsService: Service {
    private let store: Store
    private let metrics: StoreMetrics
    private let interval: Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a service that reports a store's state.
    ///
    /// - Parameters:
    ///   - store: the store. In a service group, it closes after this service has ended (see ``StoreService``).
    ///   - metrics: receives the state.
    ///   - interval: the time between two reports.
    ///   - sleep: waits between reports; for tests.
    public init(
        _ store: Store, _ metrics: StoreMetrics, every interval: Duration = .seconds(10),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.metrics = metrics
        self.interval = interval
        self.sleep = sleep
    }

    /// Reports until the group shuts down or the task is cancelled.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await metrics.follow(store, every: interval, sleep: sleep)
        }
    }
}
#endif
