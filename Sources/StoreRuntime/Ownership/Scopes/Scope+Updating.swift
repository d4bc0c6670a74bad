public import StoreEngine

// For code that updates something in a scope, such as a tree of components.
extension Scope {
    /// Waits until all earlier commits to the store are published.
    package nonisolated(nonsending) func waitUntilPublished() async {
        if let core { await core.dispatcher.waitUntilPublished() }
    }

    /// Returns a view of the newest position of the scope's store, after that position is published.
    ///
    /// - Throws: ``StoreError`` with the code `closed` if the store is closed.
    package nonisolated(nonsending) func steadyView() async throws -> SteadyView { try await SteadyView(core) }

    /// Returns a live query of the scope's store. The scope owns the query.
    ///
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``; `closed` if the scope has no store; `scopeClosed`.
    public func results<R: Record>(
        of request: FetchRequest<R>, file: StaticString = #fileID, line: UInt = #line
    ) throws -> LiveQuery<R> {
        let query = try liveQuery(request)
        try own(query, file: file, line: line)
        return query
    }

    /// Returns a live query of the scope's store, which the caller keeps.
    package func liveQuery<R: Record>(_ request: FetchRequest<R>) throws -> LiveQuery<R> {
        guard let core else {
            throw StoreError(
                .closed, "the scope \(path) has no store", remedy: "open the outermost scope with store.scope(_:)")
        }
        return try LiveQuery(request, core)
    }
}
