import StoreEngine

extension Scope {
    /// Runs a block with a child scope, and closes that scope when the block returns or throws.
    ///
    /// Returns when the tasks of the child scope have ended. ``Scope/current`` is that scope in the block.
    ///
    /// - Throws: the errors of `body`; ``StoreError`` with the code `scopeClosed`.
    public nonisolated(nonsending) func withChild<T>(
        _ name: String, file: StaticString = #fileID, line: UInt = #line,
        _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        try await Scope.run(in: child(name, file: file, line: line), body)
    }

    /// Runs a block in a scope, and closes the scope; otherwise as ``withChild(_:file:line:_:)``.
    package static nonisolated(nonsending) func run<T>(
        in scope: Scope, _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        let result: Result<T, any Error>
        do {
            let membership = ScopeMembership(ScopeReference(scope))
            result = .success(try await $currentMembership.withValue(membership) { try await body(scope) })
        } catch {
            result = .failure(error)
        }
        scope.close()
        await scope.waitUntilClosed()
        return try result.get()
    }
}

extension OwnershipRegistry {
    /// Opens a root scope that belongs to no store.
    public func scope(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Scope {
        Scope(name, parent: nil, self, nil, heldBy: nil, file, line)
    }

    /// Runs a block with a root scope that belongs to no store; otherwise as ``Scope/withChild(_:file:line:_:)``.
    public nonisolated(nonsending) func withScope<T>(
        _ name: String, file: StaticString = #fileID, line: UInt = #line,
        _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        try await Scope.run(in: scope(name, file: file, line: line), body)
    }
}

extension Store {
    /// The registry of the owners and borrowers that keep models and other objects alive.
    public var ownership: OwnershipRegistry { core.ownership }

    /// Opens a root scope. It closes with its last reference, and with the store.
    ///
    /// - Parameters:
    ///   - name: the name of the scope in reports.
    ///   - holder: the object that keeps the scope, if there is one, so that reports can find cycles of owners.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    /// - Throws: ``StoreError`` with the code `closed`.
    public func scope(
        _ name: String, heldBy holder: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Scope {
        try requireOpen()
        return Scope(name, parent: nil, core.ownership, core, heldBy: holder, file, line)
    }

    /// Runs a block with a root scope; otherwise as ``Scope/withChild(_:file:line:_:)``.
    public nonisolated(nonsending) func withScope<T>(
        _ name: String, file: StaticString = #fileID, line: UInt = #line,
        _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        try await Scope.run(in: scope(name, file: file, line: line), body)
    }
}
