import LMDB
public import Observation
import StoreEngine
import Synchronization

/// The versions and the observers of one model, without the record's type: see ``AnyModelVersion``.
///
/// It may outlive its model until the current step is published.
///
/// - `state` is protected by its mutex.
/// - `isAwaited` changes once, to true.
/// - Everything else is constant.
@usableFromInline
final class ModelState: Observable, Sendable {
    private struct State {
        weak var model: (any AnyObject & Sendable)?
        var versions: Versions<AnyModelVersion>
        var subscribers: [(id: UInt64, fields: FieldIndexSet, signal: Signal)] = []
        var observers: [any ModelObserver] = []
        var lastSubscriber: UInt64 = 0
        var isEnded = false
    }

    let key: [UInt8]
    /// The incarnation of the record, which distinguishes it from earlier and later records under the key.
    let incarnation: UInt64
    let timeline: Timeline
    private let slots: ModelSlots
    private let registrar = ObservationRegistrar()
    /// Whether a field was ever read, or an observer added. Until then, no reader needs a notification before a new version is
    /// published: a later reader has not seen the old version.
    private let isAwaited = Atomic(false)
    private let state: HandoverMutex<State>

    /// - Parameter slots: shared by all models of a type.
    init(
        _ version: AnyModelVersion, key: [UInt8], incarnation: UInt64, _ slots: ModelSlots, _ timeline: Timeline
    ) {
        self.key = key
        self.incarnation = incarnation
        self.slots = slots
        self.timeline = timeline
        state = HandoverMutex(State(versions: Versions(version, at: version.sequence)))
    }

    /// Observation tracks a slot by a key path to this subscript.
    subscript(slot slot: Int) -> Void { () }

    /// The slot for whether the record was deleted.
    var deletedSlot: Int { slots.deleted }

    /// The slot for why the record cannot be read.
    var readFailureSlot: Int { slots.readFailure }

    /// The model, while it lives. The model sets this once.
    var model: (any AnyObject & Sendable)? {
        get { state.withLock { $0.model } }
        set { state.withLock { $0.model = newValue } }
    }

    // MARK: Reading

    /// Reads the current version for the calling thread, tracked by Observation as a read of one slot.
    ///
    /// - Parameter body: receives the version, and must do no more than copy a value out of it. Outside of read views, it runs
    ///   with the lock held, so that the version is not retained. Two threads that count references to one object would delay
    ///   each other. It is not called in a read view that is older than the model, because only the view's snapshot has that
    ///   record.
    @usableFromInline
    func read(_ slot: Int, _ body: (AnyModelVersion) -> Void) {
        track(slot)
        if let view = ReadViewStorage.current(on: timeline) {
            if let version = version(in: view, logging: slot) { body(version) }
        } else {
            let sequence = withPublishedVersion(body)
            note(sequence, slot)
        }
    }

    /// Reads the current version for the calling thread, tracked as a read of all fields.
    func readAll() -> AnyModelVersion? {
        for slot in 0..<slots.deleted { track(slot) }
        return version(logging: -1)
    }

    private func track(_ slot: Int) {
        awaitChanges()
        slots.with(slot) { registrar.access(self, keyPath: $0) }
    }

    private func awaitChanges() {
        // Loaded first, so that reading threads do not take the cache line from each other.
        if !isAwaited.load(ordering: .relaxed) { isAwaited.store(true, ordering: .relaxed) }
    }

    /// Returns the version that the calling thread reads; nil in a read view that is older than the model.
    ///
    /// - Parameter part: the slot to log as read, -1 for the whole record; nil to log nothing.
    func version(logging part: Int?) -> AnyModelVersion? {
        if let view = ReadViewStorage.current(on: timeline) { return version(in: view, logging: part) }
        let version = publishedVersion
        note(version.sequence, part)
        return version
    }

    private func version(in view: ReadViewStorage, logging part: Int?) -> AnyModelVersion? {
        guard let version = state.withLock({ $0.versions.value(at: view.sequence) }) else { return nil }
        note(version.sequence, part)
        return version
    }

    /// Adds the version of a view's snapshot, if no version is known for the view's position.
    ///
    /// - Parameter version: nil if the snapshot has no record.
    /// - Returns: the version that the view reads.
    func addEarlier(_ version: AnyModelVersion?, in view: ReadViewStorage, logging part: Int?) -> AnyModelVersion {
        let floor = timeline.floor
        let version = state.withLock { state in
            if let known = state.versions.value(at: view.sequence) { return known }
            guard let version else { return state.versions.oldest }
            state.versions.addEarlier(version, at: view.sequence, floor: floor)
            return version
        }
        note(version.sequence, part)
        return version
    }

    /// Logs which version the current closure read. The log keeps the model alive, because only live models receive changes.
    private func note(_ sequence: UInt64, _ part: Int?) {
        guard let part, let log = ReadLog.current else { return }
        log.note(self, version: sequence, part: part)
        log.keep(model, for: self)
    }

    /// The version that reads outside of read views get.
    var publishedVersion: AnyModelVersion {
        let sequence = timeline.publishedSequence
        return state.withLock { $0.versions.valueOrOldest(at: sequence) }
    }

    /// The oldest version that is kept for readers.
    var oldestVersion: AnyModelVersion { state.withLock { $0.versions.oldest } }

    /// The sequence number of the newest version, which may not be published yet.
    var newestSequence: UInt64 { state.withLock { $0.versions.newestSequence } }

    /// - Returns: the position of the version that `body` received.
    private func withPublishedVersion(_ body: (AnyModelVersion) -> Void) -> UInt64 {
        let sequence = timeline.publishedSequence
        return state.withLock { state in
            guard state.versions.newestSequence <= sequence else {
                let version = state.versions.valueOrOldest(at: sequence)
                body(version)
                return version.sequence
            }
            // The version stays alive while the lock is held.
            unsafe Unmanaged.passUnretained(state.versions.newest)._withUnsafeGuaranteedRef { body($0) }
            return state.versions.newestSequence
        }
    }

    // MARK: Steps

    /// Adds a later version.
    ///
    /// - Parameter make: returns the version that follows its argument; nil if nothing changed.
    /// - Returns: the added version. Nil if nothing changed, if the model was already read at that position, or if the record was
    ///   deleted.
    func push(at position: Position, _ make: (AnyModelVersion) -> AnyModelVersion?) -> AnyModelVersion? {
        state.withLock { state in
            let before = state.versions.newest
            guard before.sequence < position.sequence, !before.isDeleted, let version = make(before) else { return nil }
            state.versions.push(version, at: position.sequence)
            return version
        }
    }

    /// Adds a last version, which applies from the position after the newest one on.
    func pushEnd(_ make: (AnyModelVersion) -> AnyModelVersion) {
        state.withLock { state in
            state.versions.push(make(state.versions.newest), at: state.versions.newestSequence + 1)
        }
    }

    /// Notifies Observation and observers before a version is published.
    func willPublish(_ version: AnyModelVersion) {
        guard isAwaited.load(ordering: .relaxed) else { return }
        forEachSlot(changedBy: version) { registrar.willSet(self, keyPath: $0) }
        for observer in state.withLock({ $0.observers }) { observer.willPublish() }
    }

    /// Notifies Observation and observers that a version is published, and removes versions that no reader can ask for.
    ///
    /// - Parameters:
    ///   - floor: the oldest position that a reader can ask for.
    ///   - signals: receives the signals to raise.
    /// - Returns: whether older versions remain.
    func didPublish(_ version: AnyModelVersion, floor: UInt64, _ signals: inout [Signal]) -> Bool {
        if isAwaited.load(ordering: .relaxed) {
            forEachSlot(changedBy: version) { slot in
                registrar.didSet(self, keyPath: slot)
                // After the first `willSet`, a reader may have run again and begun to track before the position was published.
                // Only this second `willSet` notifies that reader.
                registrar.willSet(self, keyPath: slot)
            }
        }
        let (subscribers, ended, hasOlder) = state.withLock { state in
            state.versions.prune(below: floor)
            return (state.subscribers, version.isDeleted ? state.observers : [], state.versions.hasOlder)
        }
        for subscriber in subscribers where version.concerns(subscriber.fields) { signals.append(subscriber.signal) }
        for observer in ended { observer.ended() }
        return hasOlder
    }

    private func forEachSlot(changedBy version: AnyModelVersion, _ body: (KeyPath<ModelState, Void>) -> Void) {
        if version.isDeleted { slots.with(slots.deleted, body) }
        if version.changesReadFailure { slots.with(slots.readFailure, body) }
        for slot in 0..<slots.deleted where version.changedFieldIndexes.contains(slot) { slots.with(slot, body) }
    }

    /// Ends the model, because the store was closed or cannot be read: no more changes come.
    func end() {
        let (subscribers, observers) = state.withLock { state in
            state.isEnded = true
            return (state.subscribers, state.observers)
        }
        for subscriber in subscribers { subscriber.signal.end() }
        for observer in observers { observer.ended() }
    }

    // MARK: Subscribing

    /// Raises a signal whenever one of some fields has changed, or the record was deleted. If no more changes come, the signal
    /// ends quietly.
    ///
    /// - Returns: the number of the subscription, for ``unsubscribe(_:)``.
    func subscribe(_ signal: Signal, to fields: FieldIndexSet) -> UInt64 {
        let (id, isEnded) = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers.append((state.lastSubscriber, fields, signal))
            return (state.lastSubscriber, state.isEnded)
        }
        if isEnded { signal.endQuietly() }
        return id
    }

    /// Whether no more changes come.
    var hasEnded: Bool { state.withLock { $0.isEnded } }

    func unsubscribe(_ id: UInt64) { state.withLock { $0.subscribers.removeAll { $0.id == id } } }

    /// Adds an observer. An observer that is added after the end is notified of it at once.
    func observe(_ observer: any ModelObserver) {
        awaitChanges()
        let isEnded = state.withLock { state in
            state.observers.append(observer)
            return state.isEnded
        }
        if isEnded || publishedVersion.isDeleted { observer.ended() }
    }

    /// Removes an observer.
    func unobserve(_ observer: any ModelObserver) { state.withLock { $0.observers.removeAll { $0 === observer } } }
}

extension ModelState: Versioned {
    func prune(below floor: UInt64) -> Bool {
        state.withLock { state in
            state.versions.prune(below: floor)
            return state.versions.hasOlder
        }
    }
}

extension ModelState: LoggedSource {
    package func hasChanged(since sequence: UInt64, part: Int) -> Bool {
        let version = state.withLock { $0.versions.newest }
        if version.sequence <= sequence { return false }
        guard part >= 0, version.previousSequence == sequence else { return true }
        if part == deletedSlot { return version.isDeleted }
        return part == readFailureSlot ? version.changesReadFailure : version.changedFieldIndexes.contains(part)
    }
}
