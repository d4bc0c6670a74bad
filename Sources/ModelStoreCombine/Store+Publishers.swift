#if OpenCombine
public import ModelStore

extension Store {
    /// Publishes the results of a request before `sink` returns, and then one scoped update for each change to them, from any
    /// process.
    ///
    /// ```swift
    /// store.publisher(for: Sensor.where { $0.celsius > 30 })
    ///     .map(\.results.count)
    ///     .sink { … } receiveValue: { print("\($0) are hot") }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// While a subscriber has no demand, updates merge into one. Fails with ``/ModelStore/StoreError`` with the code `closed`
    /// when the store is closed, and with the errors of ``/ModelStore/Store/liveQuery(_:)``.
    ///
    /// - Parameter request: the request. Without an order, records are in the order of their ids.
    public func publisher<R: Record>(for request: FetchRequest<R>) -> SequencePublisher<LiveUpdates<R>> {
        updates(of: request).publisher
    }

    /// Like ``publisher(for:)``, but publishes only changes of the given fields, and changes that insert, delete or move rows.
    public func publisher<R: Record, each V>(
        for request: FetchRequest<R>, fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) -> SequencePublisher<LiveUpdates<R>> {
        updates(of: request, fields: repeat each fields).publisher
    }

    /// Publishes the change sets after a position, and then each new change set when a process commits it.
    ///
    /// The publisher leaves out no change set. Change sets without demand stay on disk and take no memory. Fails with the errors
    /// that ``ChangeFeed`` throws.
    ///
    /// - Parameters:
    ///   - position: where to continue, usually the ``/ModelStore/ChangeSet/position`` of the last change set that the program
    ///     processed.
    ///   - options: which change sets the feed delivers, and how.
    public func changesPublisher(
        since position: Position, _ options: FeedOptions = FeedOptions()
    ) -> SequencePublisher<ChangeFeed> {
        changes(since: position, options).publisher
    }

    /// Publishes the change sets from a start in the feed; `.newest` is the newest position at the time of this call.
    public func changesPublisher(
        from start: FeedStart, _ options: FeedOptions = FeedOptions()
    ) -> SequencePublisher<ChangeFeed> {
        changes(from: start, options).publisher
    }
}

extension LiveQuery {
    /// Publishes the results before `sink` returns, and then each update, including those that a new request causes.
    public var publisher: SequencePublisher<LiveUpdates<R>> { updates.publisher }
}

extension LiveUpdates {
    /// The updates as a publisher. It publishes the first one before `sink` returns.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension LiveValues {
    /// The values as a publisher. It publishes the first one before `sink` returns.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension LiveJoin {
    /// The joined updates as a publisher. It publishes the first one before `sink` returns.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension ChangeFeed {
    /// The change sets as a publisher, one at a time on demand.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self, startsAtOnce: false) }
}

extension RecordsAndChanges {
    /// The rows and changes as a publisher, one at a time on demand.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self, startsAtOnce: false) }
}
#endif
