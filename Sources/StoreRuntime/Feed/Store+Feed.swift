public import StoreEngine

extension Store {
    /// Returns the change sets after a position, and then each change set as any process commits it.
    ///
    /// ```swift
    /// for try await set in store.changes(since: position) {
    ///     for change in try set.changes(of: Sensor.self) where change.didChange(\.celsius) { … }
    ///     position = set.position
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - position: where to continue, usually the ``ChangeSet/position`` of the last change set that was handled.
    ///   - options: which changes to deliver, and how.
    public func changes(since position: Position, _ options: FeedOptions = FeedOptions()) -> ChangeFeed {
        changes(from: .after(position), options)
    }

    /// Returns the change sets from a start in the feed, and then each change set as any process commits it.
    ///
    /// - Parameters:
    ///   - start: where to begin; `.newest` is the moment of this call.
    ///   - options: which changes to deliver, and how.
    public func changes(from start: FeedStart, _ options: FeedOptions = FeedOptions()) -> ChangeFeed {
        var start = start
        // Otherwise a commit before the first call of `next()` would be missed. An error occurs again there.
        if case .newest = start.point, let now = try? position { start = .after(now) }
        return ChangeFeed(store: self, start: start, options: options)
    }

    /// Returns the changes since a position, also when change sets after it have left the feed. It delivers the net difference by
    /// record, and then each change set as it is committed, without a gap.
    ///
    /// If all change sets after the position are retained, it delivers only those, as ``changes(since:_:)`` does.
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
    ///   - position: the position up to which the reader has handled the feed.
    ///   - options: the options for the change sets, as for any reader. The difference contains only the filters' types, in parts
    ///     of ``FeedOptions/changesPerPart`` records. The filters' conditions apply to the current records. A record that does
    ///     not meet them comes as `unmatched`, because it may have met them before. A deleted record comes in any case. The
    ///     difference cannot be limited to fields, and cannot leave out origins.
    public func catchUp(
        since position: Position, _ options: FeedOptions = FeedOptions()
    ) -> CatchUp {
        CatchUp(store: self, position: position, options: options)
    }

    /// Returns all records of a type and then every change to them, without a gap in between.
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - options: which changes to deliver, and how. Filters of other types are ignored. With a condition, only rows that meet
    ///     it are delivered, and changes of records that meet it before or after. So the reader also learns when a record ceases
    ///     to meet it. ``FeedOptions/skipsOwnOrigin`` leaves out this process's changes to rows delivered before.
    ///     ``FeedOptions/mergesPending`` and ``FeedOptions/reportsProgress`` apply only after `ready`.
    ///   - chunk: how many rows are read at once. At least 1.
    public func recordsAndChanges<R: Record>(
        of type: R.Type, _ options: FeedOptions = FeedOptions(), chunk: Int = 1_000
    ) -> RecordsAndChanges<R> {
        RecordsAndChanges(store: self, options: options, chunk: chunk)
    }

    /// The sequence numbers after which the feed can be resumed, from the oldest to the newest.
    ///
    /// - Throws: ``StoreError``.
    public var feedRange: ClosedRange<UInt64> {
        get throws {
            let transaction = try beginRead()
            let head = try transaction._reading.feedHead()
            return (head.oldest - 1)...head.sequence
        }
    }

    /// The oldest sequence number from which a reader that comes back late can get the difference by record; nil if the store has
    /// no trail (``StoreLimits/changedRecordLimit``).
    ///
    /// - Throws: ``StoreError``.
    public var oldestComparablePosition: UInt64? {
        get throws {
            let transaction = try beginRead()
            return try transaction._reading.trailHead()?.floor
        }
    }

    /// Waits until this process sees everything up to a position, which another process may have written. Use it to read a write
    /// of one process in another.
    ///
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionDiverged` when the store has another history at the position;
    ///   `closed`. `CancellationError`.
    public func wait(for position: Position) async throws {
        try requireOpen()
        while true {
            try core.catalog.requireFiles()
            do {
                let transaction = try beginRead()
                do {
                    return try transaction._reading.requireResumable(position)
                } catch let error where error.code == .positionCompacted {
                    return
                }
            } catch let error as StoreError where error.code == .positionInFuture {
                switch try await feedWake(after: position.sequence - 1) {
                case .moved: continue
                case .cancelled: throw CancellationError()
                case .closed: throw WriteQueue.closed
                }
            }
        }
    }

    /// Waits until there may be a change set after `sequence`, or this store is closed.
    func feedWake(after sequence: UInt64) async throws(StoreError) -> FeedNotifierState.Wake {
        try await core.notifier.wait(after: sequence, core.access) { [self] in isStillOpen }
    }
}
