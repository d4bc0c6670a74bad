import StoreEngine

/// One subscription to a live query: gives what it shows, then whatever else it comes to show, merged where that was slow to
/// be taken. It belongs to one task at a time.
final class LiveWatch<R: Record> {
    private let query: LiveQuery<R>
    private let signal: Signal
    private var subscription: LiveQuery<R>.Subscription
    private var last: LiveShown?

    init(_ query: LiveQuery<R>, _ signal: Signal = Signal()) {
        self.query = query
        self.signal = signal
        // Before anything is looked at, so that nothing is lost between the two.
        subscription = query.subscribe(signal)
    }

    deinit { query.unsubscribe(subscription, signal) }

    /// The next update; nil when the task is cancelled.
    func next() async throws -> LiveUpdate<R>? {
        if Task.isCancelled { return nil }
        if last == nil { return try update(to: shown) }
        while true {
            let wake = await signal.wait()
            if wake == .cancelled { return nil }
            if let update = try update(to: shown) { return update }
            if wake == .ended { throw query.failure ?? WriteQueue.closed }
        }
    }

    /// What is shown now.
    private var shown: LiveShown {
        // A query that was given another request shows the result of that.
        subscription = query.refresh(subscription, signal)
        return subscription.use.result.visible
    }

    /// What is shown at a position; nil where that is not known any more.
    func shown(at sequence: UInt64) -> LiveShown? {
        subscription = query.refresh(subscription, signal)
        return subscription.use.result.shown(at: sequence)
    }

    /// Why there are no updates any more; nil while there are.
    var failure: StoreError? { subscription.use.result.failure }

    /// What leads from what was given last to `shown`; nil where that is the same.
    private func update(to shown: LiveShown) throws(StoreError) -> LiveUpdate<R>? {
        var isDifferent = false
        let update = try step(to: shown, &isDifferent)
        return isDifferent ? update : nil
    }

    /// What leads from what was given last to `shown`.
    ///
    /// - Parameter isDifferent: set where that is something.
    func step(to shown: LiveShown, _ isDifferent: inout Bool) throws(StoreError) -> LiveUpdate<R> {
        defer { last = shown }
        guard let old = last else {
            isDifferent = true
            return LiveUpdate(
                results: try LiveRecords(shown.rows, shown.catalog), changes: .reset, position: shown.position)
        }
        let difference = LiveDifference(
            from: old.rows, to: shown.rows, fields: subscription.use.result.key.fields)
        if !difference.isEmpty { isDifferent = true }
        let fresh = difference.inserts + difference.updates.map(\.to)
        return LiveUpdate(
            results: try LiveRecords(shown.rows, shown.catalog, undecoded: fresh),
            changes: try LiveChanges(difference, from: old, to: shown), position: shown.position)
    }
}
