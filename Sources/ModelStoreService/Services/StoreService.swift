#if ServiceLifecycle
public import ModelStore
public import ServiceLifecycle

/// Closes a store when a service group shuts down, after those who use it.
///
/// A group shuts its services down gracefully from the last to the first, each after the one behind it has ended: this one
/// stands before all others that use the store. At cancellation the group ends all of them at once; services that shall have
/// the store then too, as consumers for their last notes, are given to this one.
///
/// ```swift
/// let group = ServiceGroup(services: [StoreService(store, after: [consumers]), server], …)
/// ```
public struct StoreService: Service {
    private let store: Store
    private let services: [any Service]

    /// A service that closes a store.
    ///
    /// - Parameters:
    ///   - store: the store, open.
    ///   - services: what it runs itself. They are told of a graceful shutdown at once and together; when all have ended, the
    ///     store is closed. The first that fails has the others cancelled.
    public init(_ store: Store, after services: [any Service] = []) {
        self.store = store
        self.services = services
    }

    /// Runs until the group shuts down or the task is cancelled, and closes the store.
    ///
    /// - Throws: what the first of its services threw that failed; the store is closed then too.
    public func run() async throws {
        let outcome = await Result { try await runServices() }
        await store.shutdown()
        try outcome.get()
    }

    private func runServices() async throws {
        try await withThrowingTaskGroup { group in
            // Without services, or when these end by themselves, the store stays open until the shutdown.
            group.addTask { try? await gracefulShutdown() }
            for service in services {
                group.addTask { try await service.run() }
            }
            // The first error ends the loop, and with it all others; `waitForAll` would wait for them first.
            for try await _ in group {}
        }
    }
}

extension Result where Failure == any Error, Success == Void {
    /// What `body` comes to.
    fileprivate init(catching body: () async throws -> Void) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
#endif
