#if ServiceLifecycle
public import ModelStore
public import ServiceLifecycle

/// Ties a scope to a service: the scope closes when the service group shuts down.
///
/// ```swift
/// ScopeService("alerts", of: store) { scope in
///     try scope.observe { … }
///     try await serve(scope)
/// }
/// ```
///
/// A group shuts its services down from the last to the first. List this service after the services that its tasks use, such as
/// ``StoreService``.
public struct ScopeService: Service {
    private let open: @Sendable () throws -> Scope
    private let body: @Sendable (Scope) async throws -> Void

    /// Creates a service with a scope of a store. The scope opens when the service runs.
    ///
    /// - Parameters:
    ///   - name: the name of the scope in reports.
    ///   - store: the store.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - body: the work of the service, with the scope as ``/ModelStore/Scope/current``. It is cancelled when the group shuts
    ///     down. When it has returned, the scope closes.
    public init(
        _ name: String, of store: Store, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Scope) async throws -> Void
    ) {
        open = { try store.scope(name, file: file, line: line) }
        self.body = body
    }

    /// Creates a service with a child of another scope. The child opens when the service runs.
    public init(
        _ name: String, in parent: Scope, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Scope) async throws -> Void
    ) {
        open = { try parent.child(name, file: file, line: line) }
        self.body = body
    }

    /// Creates a service that only closes a scope.
    public init(_ scope: Scope) {
        open = { scope }
        body = { _ in try await gracefulShutdown() }
    }

    /// Runs until the body returns, the group shuts down or the task is cancelled; then closes the scope and waits for its tasks.
    ///
    /// - Throws: the errors of the body, except a `CancellationError`; ``/ModelStore/StoreError``: `closed`; `scopeClosed`.
    public func run() async throws {
        try await Scope.run(in: open()) { scope in
            do {
                try await cancelWhenGracefulShutdown { try await body(scope) }
            } catch is CancellationError {}
        }
    }
}
#endif
