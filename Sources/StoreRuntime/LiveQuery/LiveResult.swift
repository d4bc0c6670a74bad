import LMDB
import Observation
package import StoreEngine

/// Which result subscribers share: equal requests have one.
package struct LiveKey: Hashable, Sendable {
    package let typeName: String
    package let request: Request
    /// The fields whose changes are told, by their places in the store; nil for all.
    package let fields: PlaceSet?
    /// Whether only the number of records is of interest.
    package let isCount: Bool

    package init(typeName: String, request: Request, fields: PlaceSet?, isCount: Bool) {
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
        let shown = shown(at: timeline.readSequence) ?? state.withLock { $0.versions.oldest }
        ReadLog.current?.note(self, version: shown.position.sequence, part: 0)
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
        state.withLock { $0.versions.push(shown, at: shown.position.sequence) }
    }

    /// Ends the result: it cannot be kept up to date.
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
    func willShow(_ sequence: UInt64) { registrar.willSet(self, keyPath: \.tracked) }

    func didShow(_ sequence: UInt64) {
        registrar.didSet(self, keyPath: \.tracked)
        let (signals, isOver) = state.withLock { ($0.subscribers.map(\.signal), $0.failure != nil) }
        for signal in signals { isOver ? signal.end() : signal.raise() }
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
        state.withLock { $0.versions.newestSequence > sequence }
    }
}
