import LMDB
public import Observation
import StoreEngine
import Synchronization

/// What one model shows and who observes it, whatever its record's type is: see ``AnyModelVersion``.
///
/// It may outlive its model, by the step that is published.
///
/// - `state` is protected by its mutex.
/// - `isAwaited` rises once.
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
    /// Which of the records that were stored under the key one after the other it is.
    let incarnation: UInt64
    let timeline: Timeline
    private let slots: ModelSlots
    private let registrar = ObservationRegistrar()
    /// Whether a field was ever read, or an observer added, so that there may be somebody to be told before something else is
    /// shown. Who comes later has not seen what was shown before.
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

    /// What Observation knows a slot by is a key path to this.
    subscript(slot slot: Int) -> Void { () }

    /// The slot for whether the record was deleted.
    var deletedSlot: Int { slots.deleted }

    /// The model, while it lives. Set once, by itself.
    var model: (any AnyObject & Sendable)? {
        get { state.withLock { $0.model } }
        set { state.withLock { $0.model = newValue } }
    }

    // MARK: Reading

    /// Looks at what is shown to the calling thread, tracked by Observation as a read of one slot.
    ///
    /// - Parameter body: gets it, with the lock held outside of read views: two threads that count references to one object wait
    ///   for each other at each step, so what is shown is not retained. It must do no more than copy something out of it. Not
    ///   called in a read view that is older than the model, whose record only the view's snapshot has.
    @usableFromInline
    func read(_ slot: Int, _ body: (AnyModelVersion) -> Void) {
        track(slot)
        if let view = ReadViewStorage.current(on: timeline) {
            if let version = shown(in: view, logging: slot) { body(version) }
        } else {
            let sequence = withVisible(body)
            note(sequence, slot)
        }
    }

    /// The same as a read of all fields.
    func readAll() -> AnyModelVersion? {
        for slot in 0..<slots.deleted { track(slot) }
        return shown(logging: -1)
    }

    private func track(_ slot: Int) {
        awaitChanges()
        slots.with(slot) { registrar.access(self, keyPath: $0) }
    }

    private func awaitChanges() {
        // Looked at first, so that threads that read do not take the line from each other.
        if !isAwaited.load(ordering: .relaxed) { isAwaited.store(true, ordering: .relaxed) }
    }

    /// What is shown to the calling thread; nil in a read view that is older than the model.
    ///
    /// - Parameter part: the slot that is read of it, -1 for the whole record; nil where that is of no interest.
    func shown(logging part: Int?) -> AnyModelVersion? {
        if let view = ReadViewStorage.current(on: timeline) { return shown(in: view, logging: part) }
        let shown = visible
        note(shown.sequence, part)
        return shown
    }

    private func shown(in view: ReadViewStorage, logging part: Int?) -> AnyModelVersion? {
        guard let version = state.withLock({ $0.versions.value(at: view.sequence) }) else { return nil }
        note(version.sequence, part)
        return version
    }

    /// Adds what a view's snapshot has, where nothing was known of that position.
    ///
    /// - Parameter version: nil where the snapshot has no record.
    /// - Returns: what is shown in the view.
    func addEarlier(_ version: AnyModelVersion?, in view: ReadViewStorage, logging part: Int?) -> AnyModelVersion {
        let floor = timeline.floor
        let shown = state.withLock { state in
            if let known = state.versions.value(at: view.sequence) { return known }
            guard let version else { return state.versions.oldest }
            state.versions.addEarlier(version, at: view.sequence, floor: floor)
            return version
        }
        note(shown.sequence, part)
        return shown
    }

    /// Notes for who reads which version it was, and has the model live for as long as that is of interest: what changes is told
    /// to models that live.
    private func note(_ sequence: UInt64, _ part: Int?) {
        guard let part, let log = ReadLog.current else { return }
        log.note(self, version: sequence, part: part)
        log.keep(model, for: self)
    }

    /// What is shown outside of read views.
    var visible: AnyModelVersion {
        let sequence = timeline.visibleSequence
        return state.withLock { $0.versions.valueOrOldest(at: sequence) }
    }

    /// The position of the newest version, which need not be shown yet.
    var newestSequence: UInt64 { state.withLock { $0.versions.newestSequence } }

    /// - Returns: the position of the version that `body` got.
    private func withVisible(_ body: (AnyModelVersion) -> Void) -> UInt64 {
        let sequence = timeline.visibleSequence
        return state.withLock { state in
            guard state.versions.newestSequence <= sequence else {
                let version = state.versions.valueOrOldest(at: sequence)
                body(version)
                return version.sequence
            }
            // Nobody lets it go while the lock is held.
            unsafe Unmanaged.passUnretained(state.versions.newest)._withUnsafeGuaranteedRef { body($0) }
            return state.versions.newestSequence
        }
    }

    // MARK: Steps

    /// Takes a later version.
    ///
    /// - Parameter make: makes the version that follows the one it gets; nil where nothing changed.
    /// - Returns: that version. Nil also where the model was read at that position already, or is deleted.
    func push(at position: Position, _ make: (AnyModelVersion) -> AnyModelVersion?) -> AnyModelVersion? {
        state.withLock { state in
            let before = state.versions.newest
            guard before.sequence < position.sequence, !before.isDeleted, let version = make(before) else { return nil }
            state.versions.push(version, at: position.sequence)
            return version
        }
    }

    /// Takes a last version, which is shown from the position after the newest on.
    func pushEnd(_ make: (AnyModelVersion) -> AnyModelVersion) {
        state.withLock { state in
            state.versions.push(make(state.versions.newest), at: state.versions.newestSequence + 1)
        }
    }

    /// Tells Observation and observers that a version will be shown.
    func willShow(_ version: AnyModelVersion) {
        guard isAwaited.load(ordering: .relaxed) else { return }
        forEachSlot(changedBy: version) { registrar.willSet(self, keyPath: $0) }
        for observer in state.withLock({ $0.observers }) { observer.willShow() }
    }

    /// Tells Observation and observers that a version is shown, and forgets versions that nobody may ask for.
    ///
    /// - Parameters:
    ///   - floor: nobody asks for anything older.
    ///   - signals: gets those that have to be raised.
    /// - Returns: whether there are older versions still.
    func didShow(_ version: AnyModelVersion, floor: UInt64, _ signals: inout [Signal]) -> Bool {
        if isAwaited.load(ordering: .relaxed) {
            forEachSlot(changedBy: version) { slot in
                registrar.didSet(self, keyPath: slot)
                // Who was told before, read once more and began to watch before the change was shown hears of it by this alone.
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
        if version.isDeleted { return slots.with(slots.deleted, body) }
        for slot in 0..<slots.deleted where version.changedFieldIndexes.contains(slot) { slots.with(slot, body) }
    }

    /// Says that nothing comes any more: the store was closed, or the record cannot be read.
    func end() {
        let (subscribers, observers) = state.withLock { state in
            state.isEnded = true
            return (state.subscribers, state.observers)
        }
        for subscriber in subscribers { subscriber.signal.end() }
        for observer in observers { observer.ended() }
    }

    // MARK: Subscribing

    /// Has a signal raised whenever one of some fields has changed, or the record was deleted.
    ///
    /// - Returns: what ends it.
    func subscribe(_ signal: Signal, to fields: FieldIndexSet) -> UInt64 {
        let (id, isEnded) = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers.append((state.lastSubscriber, fields, signal))
            return (state.lastSubscriber, state.isEnded)
        }
        if isEnded { signal.end() }
        return id
    }

    /// Whether nothing comes any more.
    var hasEnded: Bool { state.withLock { $0.isEnded } }

    func unsubscribe(_ id: UInt64) { state.withLock { $0.subscribers.removeAll { $0.id == id } } }

    /// Has an observer called. One that comes after the end is told of it at once.
    func observe(_ observer: any ModelObserver) {
        awaitChanges()
        let isEnded = state.withLock { state in
            state.observers.append(observer)
            return state.isEnded
        }
        if isEnded || visible.isDeleted { observer.ended() }
    }

    /// Ends what ``observe(_:)`` has begun.
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
        return part == deletedSlot ? version.isDeleted : version.changedFieldIndexes.contains(part)
    }
}
