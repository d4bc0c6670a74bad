import LMDB
import Observation
package import StoreEngine

/// Which result subscribers share: equal requests have one.
package struct LiveKey: Hashable, Sendable {
    package let typeName: String
    package let request: Request
    /// The fields whose changes are told; nil for all.
    package let fields: LiveFields?
    /// Whether only the number of records is of interest.
    package let isCount: Bool

    package init(typeName: String, request: Request, fields: LiveFields?, isCount: Bool) {
        self.typeName = typeName
        self.request = request
        self.fields = fields
        self.isCount = isCount
    }
}

/// What a live result is at a position.
package struct LiveShown: Sendable {
    package let rows: LiveRows
    package let count: Int
    package let position: Position
    /// By which the rows are decoded.
    package let catalog: Catalog
    /// The record type in that catalog.
    package let type: OpenType
    /// The fields whose changes are told, by their places in that type; nil for all.
    let fields: FieldIndexSet?
    /// The fields of other records of which the rows hold what stands there.
    let followed: [FieldName]
    /// The position since which there have been the same records in the same order, as far as somebody has asked for that; else that
    /// of the step.
    var structure: UInt64

    init(
        rows: LiveRows, count: Int, position: Position, catalog: Catalog, type: OpenType, fields: FieldIndexSet? = nil,
        followed: [FieldName] = []
    ) {
        self.rows = rows
        self.count = count
        self.position = position
        self.catalog = catalog
        self.type = type
        self.fields = fields
        self.followed = followed
        structure = position.sequence
    }

    /// What a matcher has for a request.
    init(_ matcher: LiveMatcher, _ id: LiveRequestID, isCount: Bool, at position: Position, _ catalog: Catalog) {
        self.init(
            rows: isCount ? LiveRows() : matcher.rows(id), count: matcher.count(id), position: position,
            catalog: catalog, type: matcher.type(id), fields: matcher.fields(id), followed: matcher.followed(id))
    }
}

/// The maintained result of one request, shared by all who subscribe to it.
///
/// - `state` is protected by its mutex; the rest is constant.
final class LiveResult: Observable, Sendable {
    private struct State {
        var versions: Versions<LiveShown>
        var subscribers: [(id: UInt64, signal: Signal)] = []
        var lastSubscriber: UInt64 = 0
        var failure: StoreError?
        var isEnded = false
        /// Whether somebody has read which records there are, without the records.
        var hasReadStructure = false
    }

    let key: LiveKey
    private let timeline: Timeline
    private let registrar = ObservationRegistrar()
    private let state: HandoverMutex<State>

    init(_ key: LiveKey, _ timeline: Timeline, _ shown: LiveShown) {
        self.key = key
        self.timeline = timeline
        state = HandoverMutex(State(versions: Versions(shown, at: shown.position.sequence)))
    }

    /// What is shown to the calling thread, tracked by Observation.
    var tracked: LiveShown {
        registrar.access(self, keyPath: \.tracked)
        return shownToReader(part: 0)
    }

    /// The same, tracked for which records there are and where alone.
    var trackedStructure: LiveShown {
        registrar.access(self, keyPath: \.trackedStructure)
        state.withLock { $0.hasReadStructure = true }
        return shownToReader(part: Self.structurePart)
    }

    private static let structurePart = 1

    private func shownToReader(part: Int) -> LiveShown {
        let shown = shown(at: timeline.readSequence) ?? shownBeforeAll()
        if let log = ReadLog.current {
            // A failure is no version: who has read after it has read all that there is.
            let isOver = state.withLock { $0.failure != nil }
            log.note(self, version: isOver ? .max : shown.position.sequence, part: part)
        }
        return shown
    }

    /// What the calling thread's view has, where that is older than all that is known; else the oldest that is.
    private func shownBeforeAll() -> LiveShown {
        guard let view = ReadViewStorage.current(on: timeline),
            let start = try? LiveStart(key, in: view.scope, at: view.position)
        else { return state.withLock { $0.versions.oldest } }
        let shown = start.shown(view.scope.state.catalog)
        let floor = timeline.floor
        state.withLock { $0.versions.addEarlier(shown, at: view.sequence, floor: floor) }
        return shown
    }

    /// What is shown outside of read views.
    var visible: LiveShown {
        shown(at: timeline.visibleSequence) ?? state.withLock { $0.versions.oldest }
    }

    /// What was shown at a position; nil where that is not known any more.
    func shown(at sequence: UInt64) -> LiveShown? { state.withLock { $0.versions.value(at: sequence) } }

    /// The position of the oldest state that is known.
    var oldestSequence: UInt64 { state.withLock { $0.versions.oldest.position.sequence } }

    /// Why there are no updates any more; nil while there are.
    var failure: StoreError? { state.withLock { $0.failure ?? ($0.isEnded ? WriteQueue.closed : nil) } }

    /// Takes what the result is after a step.
    func become(_ shown: LiveShown) {
        state.withLock { state in
            var shown = shown
            let old = state.versions.newest
            if state.hasReadStructure, shown.rows.shows(theSameAs: old.rows, fields: FieldIndexSet()) {
                shown.structure = old.structure
            }
            state.versions.push(shown, at: shown.position.sequence)
        }
    }

    /// Ends the result: it cannot be kept up to date. Those who observe it are told when the step is published.
    func fail(_ error: StoreError) { state.withLock { $0.failure = error } }

    /// Has a signal raised whenever something else is shown.
    ///
    /// - Returns: what ends it.
    func subscribe(_ signal: Signal) -> UInt64 {
        let (id, isOver) = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers.append((state.lastSubscriber, signal))
            return (state.lastSubscriber, state.isEnded || state.failure != nil)
        }
        if isOver { signal.end() }
        return id
    }

    func unsubscribe(_ id: UInt64) { state.withLock { $0.subscribers.removeAll { $0.id == id } } }
}

extension LiveResult: Publishing {
    func willShow(_ sequence: UInt64) {
        registrar.willSet(self, keyPath: \.tracked)
        if isRestructured(at: sequence) { registrar.willSet(self, keyPath: \.trackedStructure) }
    }

    func didShow(_ sequence: UInt64) {
        registrar.didSet(self, keyPath: \.tracked)
        // Who was told before, read once more and began to watch before the change was shown hears of it by this alone.
        registrar.willSet(self, keyPath: \.tracked)
        if isRestructured(at: sequence) {
            registrar.didSet(self, keyPath: \.trackedStructure)
            registrar.willSet(self, keyPath: \.trackedStructure)
        }
        let (signals, isOver) = state.withLock { ($0.subscribers.map(\.signal), $0.failure != nil) }
        for signal in signals { isOver ? signal.end() : signal.raise() }
    }

    /// Whether those who know which records there are have to look again at a step.
    private func isRestructured(at sequence: UInt64) -> Bool {
        state.withLock { state in
            guard state.hasReadStructure else { return false }
            return state.failure != nil || state.versions.value(at: sequence)?.structure == sequence
        }
    }

    func prune(below floor: UInt64) -> Bool {
        state.withLock { state in
            state.versions.prune(below: floor)
            return state.versions.hasOlder
        }
    }

    func end() {
        let signals = state.withLock { state in
            state.isEnded = true
            return state.subscribers.map(\.signal)
        }
        for signal in signals { signal.end() }
    }
}

extension LiveResult: LoggedSource {
    package func hasChanged(since sequence: UInt64, part: Int) -> Bool {
        state.withLock { state in
            if state.failure != nil { return sequence < .max }
            let newest = part == Self.structurePart ? state.versions.newest.structure : state.versions.newestSequence
            return newest > sequence
        }
    }
}
