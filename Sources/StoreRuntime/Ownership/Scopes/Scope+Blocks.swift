import StoreEngine

extension Scope {
    /// Runs a block with a scope of its own within this one, which is closed when the block ends, however it does.
    ///
    /// Returns when the tasks of that scope have ended. ``Scope/current`` is that scope in the block.
    ///
    /// - Throws: what `body` throws; ``StoreError`` with the code `scopeClosed`.
    public nonisolated(nonsending) func withChild<T>(
        _ name: String, file: StaticString = #fileID, line: UInt = #line,
        _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        try await Scope.run(in: child(name, file: file, line: line), body)
    }

    /// Runs a block in a scope, and closes that; as ``withChild(_:file:line:_:)``.
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
    /// Opens a scope that is no part of another, and of no store.
    public func scope(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Scope {
        Scope(name, parent: nil, self, nil, heldBy: nil, file, line)
    }

    /// Runs a block with such a scope; as ``Scope/withChild(_:file:line:_:)``.
    public nonisolated(nonsending) func withScope<T>(
        _ name: String, file: StaticString = #fileID, line: UInt = #line,
        _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        try await Scope.run(in: scope(name, file: file, line: line), body)
    }
}

extension Store {
    /// Who keeps which models and other objects alive.
    public var ownership: OwnershipRegistry { core.ownership }

    /// Opens a scope that is no part of another. It closes with its last reference, and with the store.
    ///
    /// - Parameters:
    ///   - name: what it is called in reports.
    ///   - holder: the object that keeps it, if one does, so that rings of owners are found.
    /// - Throws: ``StoreError`` with the code `closed`.
    public func scope(
        _ name: String, heldBy holder: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Scope {
        try requireOpen()
        return Scope(name, parent: nil, core.ownership, core, heldBy: holder, file, line)
    }

    /// Runs a block with such a scope; as ``Scope/withChild(_:file:line:_:)``.
    public nonisolated(nonsending) func withScope<T>(
        _ name: String, file: StaticString = #fileID, line: UInt = #line,
        _ body: nonisolated(nonsending) (Scope) async throws -> T
    ) async throws -> T {
        try await Scope.run(in: scope(name, file: file, line: line), body)
    }
}
