public import StoreEngine

extension Store {
    /// The results of a request, and then each scoped update as records change, by whatever process.
    ///
    /// ```swift
    /// for try await update in store.updates(of: Sensor.where { $0.celsius > 30 }) {
    ///     for insert in update.changes.inserts { … }
    /// }
    /// ```
    ///
    /// Updates tell records apart by their ids, which rows of some fields (``FetchRequest/fields(_:)``) and distinct ones do not
    /// have: ``values(of:_:)`` follows these, by a closure that fetches them.
    ///
    /// - Parameter request: what to show. Without an order records are in the order of their ids.
    public func updates<R: Record>(of request: FetchRequest<R>) -> LiveUpdates<R> {
        LiveUpdates { try self.liveQuery(request) }
    }

    @available(
        *, unavailable,
        message: """
            rows of some fields, distinct ones too, have no ids by which updates could name them: follow \
            'values(of: request) { view, request in try view.fetch(request.fields { … }.distinct()) }'
            """
    )
    /// Not there: rows of some fields, distinct ones too, have no ids by which an update could name them.
    public func updates<R: Record, Output>(of projection: Projection<R, Output>) -> LiveUpdates<R> {
        fatalError("unavailable")
    }

    /// The same, told only of changes of some fields, and of those that decide which records there are and where.
    ///
    /// - Parameters:
    ///   - request: what to show.
    ///   - fields: the fields that are of interest. The results show others too, as they were at the last update.
    public func updates<R: Record, each V>(
        of request: FetchRequest<R>, fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) -> LiveUpdates<R> {
        var fieldIndexes = FieldIndexSet()
        repeat fieldIndexes.insert(FieldToken(R.fields[keyPath: each fields]).fieldIndex)
        return LiveUpdates { [fieldIndexes] in try self.liveQuery(request, fields: fieldIndexes) }
    }

    /// What has changed in the results of a request since a position at which they were known, and then each scoped update: for
    /// subscribers that were away for a while.
    ///
    /// The first update comes at once, from the results at the position to those now: as soon as these are shown, where another
    /// process was quicker to show the position. It is a reset where it cannot be told any more what they were: the position is
    /// not one of this store's retained feed, more than 10,000 records of the type or the schema have changed since, or anything
    /// that the request reads of other records.
    ///
    /// - Parameters:
    ///   - request: what to show.
    ///   - position: the ``LiveUpdate/position`` of the last update that was dealt with.
    public func updates<R: Record>(of request: FetchRequest<R>, since position: Position) -> LiveUpdates<R> {
        LiveUpdates(since: position) { try self.liveQuery(request) }
    }

    /// A live query as an object: to read its results when they are wanted, and to ask for something else while it runs.
    ///
    /// It is of whole records; ``values(of:_:)`` follows rows of some fields, and distinct ones.
    ///
    /// - Throws: ``StoreError``: `invalidValue` and `unknownField` for a request that does not fit its type; `unknownType` when
    ///   the store was opened without `R`; `closed`; `damaged`.
    public func liveQuery<R: Record>(_ request: FetchRequest<R>) throws -> LiveQuery<R> {
        try liveQuery(request, fields: nil)
    }

    func liveQuery<R: Record>(_ request: FetchRequest<R>, fields: FieldIndexSet?) throws -> LiveQuery<R> {
        try requireOpen()
        return try LiveQuery(request, fields: fields, core)
    }

    /// How many different live queries are kept up to date in this process.
    public var liveQueryCount: Int { core.stepper.liveQueryCount }

    /// What keeping live queries up to date took since the store was opened in this process: to see that commits visit only the
    /// queries that they concern.
    public var liveQueryCounters: LiveQueryCounters { LiveQueryCounters(core.stepper.liveCounters) }

    /// How many records a request asks for, whenever that changes. Kept by counting: a commit costs what it changed, and no
    /// records are held.
    public func counts<R: Record>(of request: FetchRequest<R>) -> LiveValues<Int> {
        LiveValues(makeSource: { try self.countSource(request, $0) { $0 } }, areSame: { $0 == $1 })
    }

    /// Whether there are records that a request asks for, whenever that changes.
    public func existence<R: Record>(of request: FetchRequest<R>) -> LiveValues<Bool> {
        LiveValues(makeSource: { try self.countSource(request, $0) { $0 > 0 } }, areSame: { $0 == $1 })
    }

    private func countSource<R: Record, V: Sendable>(
        _ request: FetchRequest<R>, _ signal: Signal, _ value: @escaping @Sendable (Int) -> V
    ) throws -> any LiveValueSource<V> {
        try requireOpen()
        let use = try LiveUse(core.liveKey(request, fields: nil, isCount: true), core)
        return LiveCountSource(use, signal, value: value)
    }

    /// What a closure makes of a request's records, whenever that changes: sums, groups, sections, projections, the first one.
    ///
    /// ```swift
    /// for try await mean in store.values(of: kitchen, { view, request in try view.average(request, \.celsius) }) { … }
    /// ```
    ///
    /// The closure runs in the subscriber's task when a record of the request's type, or one of those that the request goes
    /// through, has changed, once for all that was committed since the last time. It reads through a view of one position.
    /// What the requests read that it runs itself counts as well, such as groups or sections by `$0.room.floor`; a record that
    /// it gets by its id does not. A value that is the same as the one before is not delivered:
    /// see <doc:LiveModels#When-two-values-are-the-same>.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - compute: makes the value.
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
            }, areSame: Sameness.comparison() ?? { $0 == $1 })
    }
}
