public import StoreEngine

extension Store {
    /// The change sets after a position, and then each as it is committed, by whatever process.
    ///
    /// ```swift
    /// for try await set in store.changes(since: position) {
    ///     for change in try set.changes(of: Sensor.self) where change.didChange(\.celsius) { … }
    ///     position = set.position
    /// }
    /// ```
    ///
    /// - Parameter position: where to go on, usually the ``ChangeSet/position`` of the last one that was dealt with.
    public func changes(since position: Position, _ options: FeedOptions = FeedOptions()) -> ChangeFeed {
        changes(from: .after(position), options)
    }

    /// The change sets from a place in the feed on, and then each as it is committed, by whatever process.
    ///
    /// - Parameter start: where to begin; `.newest` is the moment of this call.
    public func changes(from start: FeedStart, _ options: FeedOptions = FeedOptions()) -> ChangeFeed {
        var start = start
        // Else what is committed before the first element is asked for would be missing. An error shows there again.
        if case .newest = start.point, let now = try? position { start = .after(now) }
        return ChangeFeed(store: self, start: start, options: options)
    }

    /// What changed since a position, also where change sets after it have left the feed: the net difference by record, then each
    /// change set as it is committed, without a gap between.
    ///
    /// Where all change sets after the position are retained, it gives those alone, as ``changes(since:_:)`` does.
    ///
    /// ```swift
    /// for try await element in store.catchUp(since: position) {
    ///     switch element {
    ///     case .difference(let difference):
    ///         for record in try difference.records(of: Sensor.self) { copy[record.id] = record.row }
    ///     case .ready(let now): position = now
    ///     case .commit(let set):
    ///         for change in try set.changes(of: Sensor.self) { copy[change.id] = change.after }
    ///         position = set.position
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - position: up to where the reader has dealt with the feed.
    ///   - options: for the change sets as everywhere. The difference keeps to the filters' types, and to their conditions by the
    ///     records as they are now: one that does not meet them comes as `unmatched`, since it may have met them before, and one
    ///     that is gone comes in any case. It cannot keep to fields, nor leave out origins. It comes in parts of
    ///     ``FeedOptions/changesPerPart`` records.
    public func catchUp(
        since position: Position, _ options: FeedOptions = FeedOptions()
    ) -> CatchUp {
        CatchUp(store: self, position: position, options: options)
    }

    /// All records of a type and then every change of them, without a gap between.
    ///
    /// - Parameters:
    ///   - options: which changes are wanted, and how they come. Filters of other types do not matter; one with a condition also
    ///     lets only those rows through that meet it, and changes of records that meet it before or after, so that one that
    ///     ceases to meet it is told. ``FeedOptions/skipsOwnOrigin`` leaves out what this process changes once a row was given;
    ///     ``FeedOptions/mergesPending`` and ``FeedOptions/reportsProgress`` begin with what comes after `ready`.
    ///   - chunk: how many rows are read at once. At least 1.
    public func recordsAndChanges<R: Record>(
        of type: R.Type, _ options: FeedOptions = FeedOptions(), chunk: Int = 1_000
    ) -> RecordsAndChanges<R> {
        RecordsAndChanges(store: self, options: options, chunk: chunk)
    }

    /// The positions from which the feed can be resumed: the oldest and the newest.
    ///
    /// - Throws: ``StoreError``.
    public var feedRange: ClosedRange<UInt64> {
        get throws {
            let transaction = try beginRead()
            let head = try transaction._reading.feedHead()
            return (head.oldest - 1)...head.sequence
        }
    }

    /// The change set from which on the difference by record can be told to who comes back late; nil where the store has no trail
    /// (``StoreLimits/changedRecordLimit``).
    ///
    /// - Throws: ``StoreError``.
    public var oldestComparablePosition: UInt64? {
        get throws {
            let transaction = try beginRead()
            return try transaction._reading.trailHead()?.floor
        }
    }

    /// Waits until this process sees everything up to a position, which another process may have written: to read there what
    /// was written here.
    ///
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionDiverged` when the store's history at the position is another;
    ///   `closed`. `CancellationError`.
    public func wait(for position: Position) async throws {
        try requireOpen()
        while true {
            do {
                let transaction = try beginRead()
                do {
                    return try transaction._reading.requireResumable(position)
                } catch let error where error.code == .positionCompacted {
                    return
                }
            } catch let error as StoreError where error.code == .positionInFuture {
                switch await feedWake(after: position.sequence - 1) {
                case .moved: continue
                case .cancelled: throw CancellationError()
                case .closed: throw WriteQueue.closed
                }
            }
        }
    }

    /// Waits until there may be a change set after `sequence`, or this store is closed.
    func feedWake(after sequence: UInt64) async -> DispatchState.Wake {
        await core.dispatcher.wait(after: sequence, core.access) { [self] in isStillOpen }
    }
}
