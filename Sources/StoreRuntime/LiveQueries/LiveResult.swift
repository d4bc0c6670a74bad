import LMDB
import Observation
package import StoreEngine

/// Identifies a live result. Subscribers with equal requests share one.
package struct LiveKey: Hashable, Sendable {
    package let typeName: String
    package let request: Request
    /// The fields whose changes subscribers receive; nil for all.
    package let fields: LiveFields?
    /// Whether subscribers need only the number of records.
    package let isCount: Bool

    package init(typeName: String, request: Request, fields: LiveFields?, isCount: Bool) {
        self.typeName = typeName
        self.request = request
        self.fields = fields
        self.isCount = isCount
    }
}

/// The state of a live result at a position.
package struct LiveVersion: Sendable {
    package let rows: LiveRows
    package let count: Int
    package let position: Position
    /// The catalog that decodes the rows.
    package let catalog: Catalog
    /// The record type in that catalog.
    package let type: OpenType
    /// The fields whose changes subscribers receive, as field indexes of that type; nil for all.
    let fields: FieldIndexSet?
    /// The fields of other records whose values the rows hold.
    let followed: [FieldName]
    /// The position since which the result has had the same records in the same order. It is exact once a reader has asked for
    /// the structure; before that, it is the position of the step.
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

    /// Creates the state that a matcher holds for a request.
    init(_ matcher: LiveMatcher, _ id: LiveRequestID, isCount: Bool, at position: Position, _ catalog: Catalog) {
        self.init(
            rows: isCount ? LiveRows() : matcher.rows(id), count: matcher.count(id), position: position,
            catalog: catalog, type: matcher.type(id), fields: matcher.fields(id), followed: matcher.followed(id))
    }
}

/// The maintained result of one request, shared by all its subscribers.
///
/// - `state` is protected by its mutex; the rest is constant.
final class LiveResult: Observable, Sendable {
    private struct State {
        var versions: Versions<LiveVersion>
        var subscribers: [(id: UInt64, signal: Signal)] = []
        var lastSubscriber: UInt64 = 0
        var failure: StoreError?
        var isEnded = false
        /// Whether a reader has read the structure: the set of records and their order, without their fields.
        var hasReadStructure = false
    }

    let key: LiveKey
    private let timeline: Timeline
    private let registrar = ObservationRegistrar()
    private let state: HandoverMutex<State>

    init(_ key: LiveKey, _ timeline: Timeline, _ version: LiveVersion) {
        self.key = key
        self.timeline = timeline
        state = HandoverMutex(State(versions: Versions(version, at: version.position.sequence)))
    }

    /// The state that the calling thread reads, tracked by Observation.
    var tracked: LiveVersion {
        registrar.access(self, keyPath: \.tracked)
        return versionForReader(part: 0)
    }

    /// The same state, tracked only for its structure: the set of records and their order.
    var trackedStructure: LiveVersion {
        registrar.access(self, keyPath: \.trackedStructure)
        state.withLock { $0.hasReadStructure = true }
        return versionForReader(part: Self.structurePart)
    }

    private static let structurePart = 1

    private func versionForReader(part: Int) -> LiveVersion {
        let version = version(at: timeline.readSequence) ?? oldestVersion()
        if let log = ReadLog.current {
            // A failure has no version. A read that follows the failure cannot become stale, so the log notes the highest
            // version.
            let isOver = state.withLock { $0.failure != nil }
            log.note(self, version: isOver ? .max : version.position.sequence, part: part)
        }
        return version
    }

    /// Runs the request in the calling thread's read view, if that is older than all known states. Without a view, or if the
    /// request fails there, returns the oldest known state.
    private func oldestVersion() -> LiveVersion {
        guard let view = ReadViewStorage.current(on: timeline),
            let start = try? LiveStart(key, in: view.scope, at: view.position)
        else { return state.withLock { $0.versions.oldest } }
        let version = start.version(view.scope.state.catalog)
        let floor = timeline.floor
        state.withLock { $0.versions.addEarlier(version, at: view.sequence, floor: floor) }
        return version
    }

    /// The state that reads outside of read views get.
    var publishedVersion: LiveVersion {
        version(at: timeline.publishedSequence) ?? state.withLock { $0.versions.oldest }
    }

    /// Returns the state at a position; nil if it is not known any more.
    func version(at sequence: UInt64) -> LiveVersion? { state.withLock { $0.versions.value(at: sequence) } }

    /// The position of the oldest known state.
    var oldestSequence: UInt64 { state.withLock { $0.versions.oldest.position.sequence } }

    /// Why no more updates come; nil while they do.
    var failure: StoreError? { state.withLock { $0.failure ?? ($0.isEnded ? WriteQueue.closed : nil) } }

    /// Adds the state after a step.
    func become(_ version: LiveVersion) {
        state.withLock { state in
            var version = version
            let old = state.versions.newest
            if state.hasReadStructure, version.rows.shows(theSameAs: old.rows, fields: FieldIndexSet()) {
                version.structure = old.structure
            }
            state.versions.push(version, at: version.position.sequence)
        }
    }

    /// Ends the result, because it cannot be kept up to date. Its observers are notified when the step is published.
    func fail(_ error: StoreError) { state.withLock { $0.failure = error } }

    /// Raises a signal whenever a new state is published.
    ///
    /// - Returns: the number of the subscription, for ``unsubscribe(_:)``.
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
    func willPublish(_ sequence: UInt64) {
        registrar.willSet(self, keyPath: \.tracked)
        if isRestructured(at: sequence) { registrar.willSet(self, keyPath: \.trackedStructure) }
    }

    func didPublish(_ sequence: UInt64) {
        registrar.didSet(self, keyPath: \.tracked)
        // After the first `willSet`, a reader may have run again and begun to track before the position was published. Only this
        // second `willSet` notifies that reader.
        registrar.willSet(self, keyPath: \.tracked)
        if isRestructured(at: sequence) {
            registrar.didSet(self, keyPath: \.trackedStructure)
            registrar.willSet(self, keyPath: \.trackedStructure)
        }
        let (signals, isOver) = state.withLock { ($0.subscribers.map(\.signal), $0.failure != nil) }
        for signal in signals { isOver ? signal.end() : signal.raise() }
    }

    /// Whether a step changes the structure, so that its readers have to read it again.
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
