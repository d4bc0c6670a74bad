#if ServiceLifecycle
public import ModelStore
public import ServiceLifecycle

/// Closes a store when a service group shuts down, after the services that use it have ended.
///
/// A group shuts its services down gracefully from the last to the first, each after the one behind it has ended. List this
/// service before all others that use the store. At cancellation, the group ends all of them at once. If a service needs the
/// store even then, such as consumers that store their last position, pass it to this service.
///
/// ```swift
/// let group = ServiceGroup(services: [StoreService(store, after: [consumers]), server], …)
/// ```
public struct StoreService: Service {
    private let store: Store
    private let services: [any Service]

    /// Creates a service that closes a store.
    ///
    /// - Parameters:
    ///   - store: the store, open.
    ///   - services: the services that this one runs. They all receive a graceful shutdown at once. When all have ended, the
    ///     store closes. If one fails, the others are cancelled.
    public init(_ store: Store, after services: [any Service] = []) {
        self.store = store
        self.services = services
    }

    /// Runs until the group shuts down or the task is cancelled, and closes the store.
    ///
    /// - Throws: the error of the first of its services that failed. The store is closed then too.
    public func run() async throws {
        let outcome = await Result { try await runServices() }
        await store.shutdown()
        try outcome.get()
    }

    private func runServices() async throws {
        try await withThrowingTaskGroup { group in
            // Without services, or if all of them end by themselves, the store stays open until the shutdown.
            group.addTask { try? await gracefulShutdown() }
            for service in services {
                group.addTask { try await service.run() }
            }
            // The first error ends the loop and cancels the other services. `waitForAll` would wait for them first.
            for try await _ in group {}
        }
    }
}

extension Result where Failure == any Error, Success == Void {
    /// The outcome of `body`.
    fileprivate init(catching body: () async throws -> Void) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
#endif
