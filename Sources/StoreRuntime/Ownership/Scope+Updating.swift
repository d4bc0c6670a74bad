package import StoreEngine

// What those need who update something in a scope, such as a tree of components.
extension Scope {
    /// Waits until what was applied of the store is shown.
    package nonisolated(nonsending) func untilShown() async { await core?.stepper.untilShown() }

    /// Runs a closure in which everything that is read of the scope's store is at one position, if it has one.
    ///
    /// - Parameter body: gets what has reads of models and live results noted in a log from then on.
    package func atOnePosition<T>(_ body: (_ noteReads: (ReadLog) -> Void) throws -> T) throws -> T {
        guard let core else { return try body { _ in } }
        return try core.view(log: nil) { view in
            let storage = view.storage
            return try body { storage.reads = $0 }
        }
    }

    /// A live query of the scope's store.
    ///
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``; `closed` where the scope has no store.
    package func liveQuery<R: Record>(_ request: FetchRequest<R>) throws -> LiveQuery<R> {
        guard let core else {
            throw StoreError(
                .closed, "the scope \(path) has no store", remedy: "open the outermost scope with store.scope(_:)")
        }
        return try LiveQuery(request, fields: nil, core)
    }
}
