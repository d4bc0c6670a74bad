#if OpenCombine
public import ModelStore

extension Store {
    /// The results of a request, before `sink` returns, and then each scoped update as records change, by whatever process.
    ///
    /// ```swift
    /// store.publisher(for: Sensor.where { $0.celsius > 30 })
    ///     .map(\.results.count)
    ///     .sink { … } receiveValue: { print("\($0) are hot") }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// While a subscriber has no demand, updates merge into one. Fails with ``StoreError``: `closed` when the store is closed;
    /// and as ``Store/liveQuery(_:)``.
    ///
    /// - Parameter request: what to show. Without an order records are in the order of their ids.
    public func publisher<R: Record>(for request: FetchRequest<R>) -> SequencePublisher<LiveUpdates<R>> {
        updates(of: request).publisher
    }

    /// The same, told only of changes of some fields, and of those that decide which records there are and where.
    public func publisher<R: Record, each V>(
        for request: FetchRequest<R>, fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) -> SequencePublisher<LiveUpdates<R>> {
        updates(of: request, fields: repeat each fields).publisher
    }

    /// The change sets after a position, and then each as it is committed, by whatever process.
    ///
    /// None is left out: those without demand stay on disk and take no memory. Fails as ``ChangeFeed`` throws.
    ///
    /// - Parameters:
    ///   - position: where to go on, usually the ``ChangeSet/position`` of the last one that was dealt with.
    ///   - options: what is wanted of the feed.
    public func changesPublisher(
        since position: Position, _ options: FeedOptions = FeedOptions()
    ) -> SequencePublisher<ChangeFeed> {
        changes(since: position, options).publisher
    }

    /// The same from a place in the feed on; `.newest` is the moment of this call.
    public func changesPublisher(
        from start: FeedStart, _ options: FeedOptions = FeedOptions()
    ) -> SequencePublisher<ChangeFeed> {
        changes(from: start, options).publisher
    }
}

extension LiveQuery {
    /// The results, before `sink` returns, and then each update, also when it is reconfigured.
    public var publisher: SequencePublisher<LiveUpdates<R>> { updates.publisher }
}

extension LiveUpdates {
    /// The updates as a publisher; the first one comes before `sink` returns.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension LiveValues {
    /// The values as a publisher; the first one comes before `sink` returns.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension LiveJoin {
    /// The joined updates as a publisher; the first one comes before `sink` returns.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension ChangeFeed {
    /// The change sets as a publisher, one after the other as there is demand.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self, startsAtOnce: false) }
}

extension RecordsAndChanges {
    /// The rows and changes as a publisher, one after the other as there is demand.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self, startsAtOnce: false) }
}
#endif
