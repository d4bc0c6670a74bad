import LMDB
public import Observation
public import StoreEngine

/// A fetch request whose results are kept up to date while this object lives.
///
/// ```swift
/// let hot = try store.liveQuery(Sensor.where { $0.celsius > 30 }.order { $0.celsius.descending }.limit(10))
/// print(try hot.results.map(\.id))                 // as of the newest position, tracked by Observation
/// for try await update in hot.updates { … }        // the results, then each diff
/// try hot.reconfigure(to: Sensor.where { $0.celsius > 40 })
/// ```
///
/// Equal requests share one result, whoever asks. What a commit costs depends on what it changed and on the requests that it
/// concerns, not on the size of the table or on other requests. It can be used from any thread.
///
/// - `state` is protected by its mutex, in which no other is taken; the rest is constant.
public final class LiveQuery<R: Record>: Observable, Sendable {
    private struct State {
        var request: FetchRequest<R>
        var use: LiveUse
        var watchers: [ObjectIdentifier: Signal] = [:]
        /// How often another request was asked for.
        var version: UInt64 = 0
        var decoded: (position: Position, records: LiveRecords<R>)?
        var models: (structure: UInt64, models: LiveModels<R>)?
    }

    let core: StoreCore
    private let fields: FieldIndexSet?
    private let trackedRequest = TrackedValue()
    private let state: HandoverMutex<State>

    init(_ request: FetchRequest<R>, fields: FieldIndexSet?, _ core: StoreCore) throws {
        self.core = core
        self.fields = fields
        let use = try LiveUse(core.liveKey(request, fields: fields), core)
        state = HandoverMutex(State(request: request, use: use))
    }

    // MARK: Reading

    /// What is asked for.
    public var request: FetchRequest<R> {
        noteRead()
        return state.withLock { $0.request }
    }

    /// The results: at the read view's position inside of one, else at the newest. Tracked by Observation.
    ///
    /// - Throws: ``StoreError``: `damaged`; why the results are not kept up to date any more.
    public var results: LiveRecords<R> {
        get throws(StoreError) {
            let (shown, use) = try read { $0.tracked }
            return try records(shown, of: use)
        }
    }

    /// The results, of which nothing is decoded before it is asked for; as ``results`` otherwise.
    public var lazyResults: LazyRecords<R> {
        get throws(StoreError) {
            let shown = try read { $0.tracked }.shown
            return try LazyRecords(shown.rows, shown.catalog)
        }
    }

    /// The results as models, which are observed field by field: who reads this is concerned by records that come, go and move, and
    /// beyond that by those fields of them that he reads.
    ///
    /// At the read view's position inside of one, else at the newest.
    ///
    /// - Throws: ``StoreError``: `damaged`; why the results are not kept up to date any more.
    public var models: LiveModels<R> {
        get throws(StoreError) {
            let (shown, use) = try read { $0.trackedStructure }
            let known = state.withLock { $0.use === use ? $0.models : nil }
            if let known, known.structure == shown.structure { return known.models }
            let models = LiveModels(try records(shown, of: use), at: shown.position, core)
            state.withLock { if $0.use === use { $0.models = (shown.structure, models) } }
            return models
        }
    }

    /// What is shown, tracked in one way or the other, and of which result.
    private func read(_ tracked: (LiveResult) -> LiveShown) throws(StoreError) -> (shown: LiveShown, use: LiveUse) {
        noteRead()
        let use = use
        let shown = tracked(use.result)
        if let failure = use.result.failure { throw failure }
        return (shown, use)
    }

    private func noteRead() {
        trackedRequest.access()
        guard let log = ReadLog.current else { return }
        // Its results are kept up to date while it lives.
        log.keep(self, for: self)
        log.note(self, version: state.withLock { $0.version }, part: 0)
    }

    /// The records of what a request that is asked for, or was a moment ago, shows.
    private func records(_ shown: LiveShown, of use: LiveUse) throws(StoreError) -> LiveRecords<R> {
        let known = state.withLock { $0.use === use ? $0.decoded : nil }
        if let known, known.position == shown.position { return known.records }
        let records = try LiveRecords<R>(shown.rows, shown.catalog)
        state.withLock { if $0.use === use { $0.decoded = (shown.position, records) } }
        return records
    }

    /// The position of the step that made the results. Not tracked.
    public var position: Position { shown.position }

    /// Whether the results are known from a later position on only than the one at which the calling thread reads: they were asked for
    /// within a read view, after it was opened.
    package var isAheadOfReads: Bool { use.result.oldestSequence > core.stepper.timeline.readSequence }

    /// The results as they are, and then each time that they are others. Each iterator is slow on its own account: what it has
    /// not taken merges into one update.
    public var updates: LiveUpdates<R> { LiveUpdates { self } }

    /// How the results are kept up to date, for people.
    public var explanation: String { core.stepper.explain(use.result) }

    private var use: LiveUse { state.withLock { $0.use } }

    /// What is shown outside of read views.
    var shown: LiveShown { use.result.visible }

    // MARK: Changing

    /// Asks for something else. Subscribers get the difference from what they got last.
    ///
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``; the old request stays then.
    public func reconfigure(to request: FetchRequest<R>) throws {
        let use = try LiveUse(core.liveKey(request, fields: fields), core)
        let (old, watchers) = state.withLock { state in
            let old = state.use
            state.request = request
            state.use = use
            state.version += 1
            (state.decoded, state.models) = (nil, nil)
            return (old, Array(state.watchers.values))
        }
        // After the change: a notified reader reads the new request. A reader of the old one that was not watched yet compares versions.
        MarkingTurn.run { trackedRequest.change() }
        for signal in watchers { signal.raise() }
        // Released outside of the lock.
        withExtendedLifetime(old) {}
    }
}

extension LiveQuery: LiveSubscribable {
    func subscribe(_ signal: Signal) -> LiveSubscription {
        let use = state.withLock { state in
            state.watchers[ObjectIdentifier(signal)] = signal
            return state.use
        }
        return use.subscribe(signal)
    }

    func refresh(_ subscription: LiveSubscription, _ signal: Signal) -> LiveSubscription {
        let use = use
        if use === subscription.use { return subscription }
        subscription.use.unsubscribe(subscription, signal)
        return use.subscribe(signal)
    }

    func unsubscribe(_ subscription: LiveSubscription, _ signal: Signal) {
        subscription.use.unsubscribe(subscription, signal)
        state.withLock { $0.watchers[ObjectIdentifier(signal)] = nil }
    }
}

extension LiveQuery: LiveSource {
    package var records: LiveRecords<R> {
        do {
            return try results
        } catch {
            return state.withLock { $0.decoded?.records } ?? LiveRecords()
        }
    }
}

extension LiveQuery: LoggedSource {
    package func hasChanged(since version: UInt64, part: Int) -> Bool { state.withLock { $0.version != version } }
}
