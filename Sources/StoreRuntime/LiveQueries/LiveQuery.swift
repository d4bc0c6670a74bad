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
/// Equal requests share one result. The cost of a commit depends on its changes and on the requests that they concern. It does
/// not depend on the size of the table or on other requests. A live query can be used from any thread.
///
/// - `state` is protected by its mutex, under which no other mutex is taken; the rest is constant.
public final class LiveQuery<R: Record>: Observable, Sendable {
    private struct State {
        var request: FetchRequest<R>
        var use: LiveUse
        var watchers: [ObjectIdentifier: Signal] = [:]
        /// How often the request was replaced.
        var version: UInt64 = 0
        var decoded: (position: Position, records: LiveRecords<R>)?
        var models: (structure: UInt64, models: LiveModels<R>)?
    }

    let core: StoreCore
    private let trackedRequest = TrackedValue()
    private let state: HandoverMutex<State>

    init(_ request: FetchRequest<R>, _ core: StoreCore) throws {
        self.core = core
        let use = try LiveUse(core.liveKey(request), core)
        state = HandoverMutex(State(request: request, use: use))
    }

    // MARK: Reading

    /// The current request.
    public var request: FetchRequest<R> {
        noteRead()
        return state.withLock { $0.request }
    }

    /// The results: at the position of the read view inside of one, otherwise at the newest position. Tracked by Observation.
    ///
    /// - Throws: ``StoreError``: `damaged`; the reason why the results are not kept up to date any more.
    public var results: LiveRecords<R> {
        get throws(StoreError) {
            let (version, use) = try read { $0.tracked }
            return try records(version, of: use)
        }
    }

    /// The results, decoded on demand; otherwise as ``results``.
    public var lazyResults: LazyRecords<R> {
        get throws(StoreError) {
            let version = try read { $0.tracked }.version
            return try LazyRecords(version.rows, version.catalog)
        }
    }

    /// The results as models, which are tracked field by field. A closure that reads this property reruns when records are added,
    /// removed or moved. Beyond that, it reruns only for the fields that it reads.
    ///
    /// The models are those of the records at the position of the read view inside of one, otherwise at the newest position.
    ///
    /// - Throws: ``StoreError``: `damaged`; the reason why the results are not kept up to date any more.
    public var models: LiveModels<R> {
        get throws(StoreError) {
            let (version, use) = try read { $0.trackedStructure }
            let known = state.withLock { $0.use === use ? $0.models : nil }
            if let known, known.structure == version.structure { return known.models }
            let models = LiveModels(try records(version, of: use), at: version.position, core)
            state.withLock { if $0.use === use { $0.models = (version.structure, models) } }
            return models
        }
    }

    /// Returns the state that `tracked` reads from the current result, and the use of that result.
    private func read(_ tracked: (LiveResult) -> LiveVersion) throws(StoreError) -> (version: LiveVersion, use: LiveUse)
    {
        noteRead()
        let use = use
        let version = tracked(use.result)
        if let failure = use.result.failure { throw failure }
        return (version, use)
    }

    private func noteRead() {
        trackedRequest.access()
        guard let log = ReadLog.current else { return }
        // The log keeps the query alive, because its results are kept up to date only while it lives.
        log.keep(self, for: self)
        log.note(self, version: state.withLock { $0.version }, part: 0)
    }

    /// Returns the records of a state. The request may have been replaced a moment ago, so `use` need not be the current one.
    private func records(_ version: LiveVersion, of use: LiveUse) throws(StoreError) -> LiveRecords<R> {
        let known = state.withLock { $0.use === use ? $0.decoded : nil }
        if let known, known.position == version.position { return known.records }
        let records = try LiveRecords<R>(version.rows, version.catalog)
        state.withLock { if $0.use === use { $0.decoded = (version.position, records) } }
        return records
    }

    /// The position of the step that produced the results. Not tracked.
    public var position: Position { version.position }

    /// Whether the results are known only from a later position than that at which the calling thread reads. This happens if a
    /// read view was open when the query was created inside it.
    package var isAheadOfReads: Bool { use.result.oldestSequence > core.dispatcher.timeline.readSequence }

    /// Delivers the results, and then each scoped update. Each iterator has its own pace: updates that it has not taken merge
    /// into one.
    public var updates: LiveUpdates<R> { LiveUpdates { self } }

    /// Explains how the results are kept up to date, as text for people.
    public var explanation: String { core.dispatcher.explain(use.result) }

    private var use: LiveUse { state.withLock { $0.use } }

    /// The state that reads outside of read views get.
    var version: LiveVersion { use.result.publishedVersion }

    // MARK: Changing

    /// Replaces the request. Subscribers receive the difference from the results that they received last.
    ///
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``; the query keeps its old request then.
    public func reconfigure(to request: FetchRequest<R>) throws {
        let use = try LiveUse(core.liveKey(request), core)
        let (old, watchers) = state.withLock { state in
            let old = state.use
            state.request = request
            state.use = use
            state.version += 1
            (state.decoded, state.models) = (nil, nil)
            return (old, Array(state.watchers.values))
        }
        // Notifies after the change, so that a notified reader reads the new request. A reader of the old request whose tracking
        // has not begun yet compares versions.
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
