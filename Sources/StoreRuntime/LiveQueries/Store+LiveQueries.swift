public import StoreEngine

extension Store {
    /// Delivers the results of a request, and then a scoped update after each commit that changes them, whichever process writes.
    ///
    /// ```swift
    /// for try await update in store.updates(of: Sensor.where { $0.celsius > 30 }) {
    ///     for insert in update.changes.inserts { … }
    /// }
    /// ```
    ///
    /// Updates identify records by their ids. Rows of selected fields (``FetchRequest/fields(_:)->Projection<R,Value>``) and
    /// distinct rows have no ids: follow these with ``values(of:_:)`` and a closure that fetches them.
    ///
    /// - Parameter request: the request to follow. Without an order, records are in the order of their ids.
    public func updates<R: Record>(of request: FetchRequest<R>) -> LiveUpdates<R> {
        LiveUpdates { try self.liveQuery(request) }
    }

    /// Delivers all records of a type, and then each scoped update: `store.updates(of: Sensor.self)`. The same as
    /// `updates(of: Sensor.all)`.
    public func updates<R: Record>(of type: R.Type) -> LiveUpdates<R> { updates(of: R.all) }

    @available(
        *, unavailable,
        message: """
            rows of some fields, also distinct rows, have no ids that updates could name: use \
            'values(of: request) { view, request in try view.fetch(request.fields { … }.distinct()) }'
            """
    )
    /// Unavailable: rows of selected fields, and distinct rows, have no ids by which an update could identify them.
    public func updates<R: Record, Output>(of projection: Projection<R, Output>) -> LiveUpdates<R> {
        fatalError("unavailable")
    }

    /// Delivers the results of a request, and then only changes to some fields, and changes that decide which records match or
    /// their order. The same as `updates(of: request.watching(…))`, see ``FetchRequest/watching(_:)``.
    ///
    /// - Parameters:
    ///   - request: the request to follow.
    ///   - fields: the fields of interest. The results also contain the other fields, as they were at the last update.
    public func updates<R: Record, each V>(
        of request: FetchRequest<R>, fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) -> LiveUpdates<R> {
        updates(of: request.watching(repeat each fields))
    }

    /// Delivers the changes in the results of a request since an earlier position, and then each scoped update. Use it for a
    /// subscriber that was away for a while.
    ///
    /// The first update leads from the results at `position` to the current ones, and comes at once. If this process has not
    /// published `position` yet, because another process published it first, the update waits for that.
    ///
    /// The first update is a reset if the store cannot reconstruct the results at `position`:
    ///
    /// - the position is not in the retained feed of this store;
    /// - more than 10,000 records of the types that the request reads have changed since;
    /// - the schema has changed since;
    /// - a value has changed since that the request reads from other records.
    ///
    /// - Parameters:
    ///   - request: the request to follow.
    ///   - position: the ``LiveUpdate/position`` of the last update that the subscriber processed.
    public func updates<R: Record>(of request: FetchRequest<R>, since position: Position) -> LiveUpdates<R> {
        LiveUpdates(since: position) { try self.liveQuery(request) }
    }

    /// Creates a live query as an object: read its results at any time, and replace its request while it runs.
    ///
    /// A live query delivers whole records; ``values(of:_:)`` follows rows of selected fields and distinct rows.
    ///
    /// - Throws: ``StoreError``: `invalidValue` and `unknownField` if the request does not match its record type; `unknownType`
    ///   if the store was opened without `R`; `closed`; `damaged`.
    public func liveQuery<R: Record>(_ request: FetchRequest<R>) throws -> LiveQuery<R> {
        try requireOpen()
        return try LiveQuery(request, core)
    }

    /// The number of different live queries that this process keeps up to date.
    public var liveQueryCount: Int { core.dispatcher.liveQueryCount }

    /// The work of keeping live queries up to date since this process opened the store. Use it to check that commits visit only
    /// the queries that they concern.
    public var liveQueryCounters: LiveQueryCounters { LiveQueryCounters(core.dispatcher.liveCounters) }

    /// Delivers the number of records that match a request, and then each new number.
    ///
    /// The store keeps the number by counting: the cost of a commit depends on its changes, and the store holds no records for
    /// it.
    public func counts<R: Record>(of request: FetchRequest<R>) -> LiveValues<Int> {
        LiveValues(makeSource: { try self.countSource(request, $0) { $0 } }, areSame: { $0 == $1 })
    }

    /// Delivers whether any record matches a request, and again whenever that changes.
    public func existence<R: Record>(of request: FetchRequest<R>) -> LiveValues<Bool> {
        LiveValues(makeSource: { try self.countSource(request, $0) { $0 > 0 } }, areSame: { $0 == $1 })
    }

    private func countSource<R: Record, V: Sendable>(
        _ request: FetchRequest<R>, _ signal: Signal, _ value: @escaping @Sendable (Int) -> V
    ) throws -> any LiveValueSource<V> {
        try requireOpen()
        let use = try LiveUse(core.liveKey(request, isCount: true), core)
        return LiveCountSource(use, signal, value: value)
    }

    /// Delivers a value that a closure computes from the records of a request, and then each new value. It can be a sum, groups,
    /// sections, a projection, or the first record.
    ///
    /// ```swift
    /// for try await mean in store.values(of: kitchen, { view, request in try view.average(request, \.celsius) }) { … }
    /// ```
    ///
    /// The closure runs in the subscriber's task, and reads through a view at one position. It reruns when a record of the
    /// request's type has changed, or a record of a type that the request goes through. It reruns once for all commits since its
    /// last run. If the store closes before that, the closure reruns on the thread that closes the store, so it must not wait for
    /// that thread.
    ///
    /// Requests that the closure runs itself count too, such as groups or sections by `$0.room.floor`. A record that it gets by
    /// id does not. A value that is the same as the previous one is not delivered: see
    /// <doc:ModelsAndLiveQueries#When-two-values-are-the-same>.
    ///
    /// - Parameters:
    ///   - request: the request to follow, which the closure receives.
    ///   - compute: computes the value.
    public func values<R: Record, V: Equatable & Sendable>(
        of request: FetchRequest<R>,
        _ compute: @escaping @Sendable (borrowing ReadView, FetchRequest<R>) throws -> V
    ) -> LiveValues<V> {
        LiveValues(
            makeSource: { signal in
                try self.requireOpen()
                let typeName = try self.core.state.catalog.binding(R.self).type.name
                let reads: LiveDependent.Reads = { (catalog) throws(StoreError) in try catalog.reads(of: request) }
                return try LiveComputedSource(self.core, signal, reads, ofTypeNamed: typeName) { view in
                    try compute(view, request)
                }
            }, areSame: Sameness.wholeComparison() ?? { _, _ in false })
    }
}
