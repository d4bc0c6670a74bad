#if ServiceLifecycle
public import ModelStore
public import ServiceLifecycle

/// Ties a scope to a service: it is closed when the service group shuts down.
///
/// ```swift
/// ScopeService("alerts", of: store) { scope in
///     try scope.observe { … }
///     try await serve(scope)
/// }
/// ```
///
/// A group shuts its services down from the last to the first: this one stands behind those that its tasks use, as ``StoreService``.
public struct ScopeService: Service {
    private let open: @Sendable () throws -> Scope
    private let body: @Sendable (Scope) async throws -> Void

    /// A service with a scope of a store, which is opened when the service runs.
    ///
    /// - Parameters:
    ///   - name: what the scope is called in reports.
    ///   - store: the store.
    ///   - body: what the service does in the scope, which is ``Scope/current`` there. It is cancelled when the group shuts down; when it has returned, the scope is
    ///     closed.
    public init(
        _ name: String, of store: Store, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Scope) async throws -> Void
    ) {
        open = { try store.scope(name, file: file, line: line) }
        self.body = body
    }

    /// A service with a scope within another, which is opened when the service runs.
    public init(
        _ name: String, in parent: Scope, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Scope) async throws -> Void
    ) {
        open = { try parent.child(name, file: file, line: line) }
        self.body = body
    }

    /// A service that does nothing but close a scope.
    public init(_ scope: Scope) {
        open = { scope }
        body = { _ in try await gracefulShutdown() }
    }

    /// Runs until the body returns, the group shuts down or the task is cancelled; then closes the scope and waits for its tasks.
    ///
    /// - Throws: what the body throws, but for a `CancellationError`; ``StoreError``: `closed`; `scopeClosed`.
    public func run() async throws {
        try await Scope.run(in: open()) { scope in
            do {
                try await cancelWhenGracefulShutdown { try await body(scope) }
            } catch is CancellationError {}
        }
    }
}
#endif
