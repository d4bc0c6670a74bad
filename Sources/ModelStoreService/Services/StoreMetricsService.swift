#if ServiceLifecycle && Metrics
public import ModelStore
public import ServiceLifecycle

/// Reports the state of a store to metrics again and again, until the service group shuts down.
public struct StoreMetricsService: Service {
    private let store: Store
    private let metrics: StoreMetrics
    private let interval: Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// A service that reports a store's state.
    ///
    /// - Parameters:
    ///   - store: the store. In a service group it is closed after this one has ended (see ``StoreService``).
    ///   - metrics: what it is reported to.
    ///   - interval: the time between two reports.
    ///   - sleep: waits between them; for tests.
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
