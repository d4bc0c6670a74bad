public import StoreEngine

// What those need who update something in a scope, such as a tree of components.
extension Scope {
    /// Waits until what was committed to the store before is shown.
    package nonisolated(nonsending) func untilShown() async {
        if let core { await core.stepper.untilShown() }
    }

    /// A view of the newest position of the scope's store, which is shown when this returns.
    ///
    /// - Throws: ``StoreError`` with the code `closed` when the store is.
    package nonisolated(nonsending) func steadyView() async throws -> SteadyView { try await SteadyView(core) }

    /// A live query of the scope's store, which the scope owns.
    ///
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``; `closed` where the scope has no store; `scopeClosed`.
    public func results<R: Record>(
        of request: FetchRequest<R>, file: StaticString = #fileID, line: UInt = #line
    ) throws -> LiveQuery<R> {
        let query = try liveQuery(request, fields: nil)
        try own(query, file: file, line: line)
        return query
    }

    /// A live query of the scope's store, for whoever keeps it.
    ///
    /// - Parameter fields: the fields whose changes are told, by their places; nil for all.
    package func liveQuery<R: Record>(_ request: FetchRequest<R>, fields: FieldIndexSet?) throws -> LiveQuery<R> {
        guard let core else {
            throw StoreError(
                .closed, "the scope \(path) has no store", remedy: "open the outermost scope with store.scope(_:)")
        }
        return try LiveQuery(request, fields: fields, core)
    }
}
