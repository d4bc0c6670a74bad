import ModelStore
import ServiceLifecycle

/// Closes a scope when a service group shuts down, and waits for its tasks.
///
/// A group shuts its services down from the last to the first: this one stands behind those that the scope's connections and
/// tasks use.
struct ScopeService: Service {
    private let scope: Scope

    init(_ scope: Scope) { self.scope = scope }

    func run() async throws {
        // Cancelled, too, the scope closes.
        try? await gracefulShutdown()
        scope.close()
        await scope.closed()
    }
}
