#if ServiceLifecycle
public import ModelStore
public import ServiceLifecycle

/// Ties a scope to a service: it lives while the service runs, and is closed when the service group shuts down.
///
/// ```swift
/// ScopeService("alerts", of: store) { scope in
///     try scope.observe { … }
///     try await gracefulShutdown()
/// }
/// ```
public struct ScopeService: Service {
    private let name: String
    private let open: @Sendable () throws -> Scope
    private let body: @Sendable (Scope) async throws -> Void

    /// A service with a scope of a store.
    ///
    /// - Parameters:
    ///   - name: what the scope is called in reports.
    ///   - store: the store. In a service group it is closed after this one has ended (see ``StoreService``).
    ///   - body: what the service does in the scope. The scope is closed when it returns, and before that when the group shuts
    ///     down, which cancels its tasks; then `body` is cancelled too.
    public init(
        _ name: String, of store: Store, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Scope) async throws -> Void
    ) {
        self.name = name
        open = { try store.scope(name, file: file, line: line) }
        self.body = body
    }

    /// A service with a scope within another.
    public init(
        _ name: String, in parent: Scope, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Scope) async throws -> Void
    ) {
        self.name = name
        open = { try parent.child(name, file: file, line: line) }
        self.body = body
    }

    /// Runs until `body` returns, the group shuts down or the task is cancelled; then waits for the scope's tasks.
    ///
    /// - Throws: what `body` throws, but for a `CancellationError` after the shutdown; ``StoreError``: `closed`; `scopeClosed`.
    public func run() async throws {
        let scope = try open()
        let outcome: Result<Void, any Error>
        do {
            try await cancelWhenGracefulShutdown { try await body(scope) }
            outcome = .success(())
        } catch is CancellationError {
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        scope.close()
        await scope.closed()
        try outcome.get()
    }
}
#endif
