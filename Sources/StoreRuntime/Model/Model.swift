import LMDB
public import Observation
public import StoreEngine

/// The one live, observable object in this process for one record of a store.
///
/// ```swift
/// let sensor = try store.model(Sensor.self, id: "s1")
/// print(sensor.celsius)                                    // the newest committed value, tracked by Observation
/// for await celsius in sensor.values(of: \.celsius) { … }  // the current value, then each other one
/// ```
///
/// A model shows committed state and is changed through transactions only. What it shows changes in steps, for all models and
/// live results of a store at once; inside of ``Store/view(_:)`` it shows the view's position. After its record was deleted it
/// keeps the last values and says so; a record that is inserted later under the same id has a model of its own.
///
/// It can be used from any thread. Reading a field takes constant time.
///
/// - `state` is protected by its mutex; everything else is constant.
@dynamicMemberLookup
public final class Model<R: Record>: Observable, Identifiable, Sendable {
    private struct State {
        var versions: Versions<ModelVersion<R>>
        var subscribers: [(id: UInt64, fields: PlaceSet, signal: Signal)] = []
        var observers: [any ModelObserver] = []
        var lastSubscriber: UInt64 = 0
        var isEnded = false
    }

    /// The record's id.
    public let id: R.ID
    let key: [UInt8]
    let core: StoreCore
    let table: TypedModelTable<R>
    let serial: UInt64
    private let registrar = ObservationRegistrar()
    private let state: HandoverMutex<State>

    init(_ record: R, key: [UInt8], at position: Position, _ table: TypedModelTable<R>, _ core: StoreCore) {
        id = record.recordID
        self.key = key
        self.core = core
        self.table = table
        serial = table.makeSerial()
        let version = ModelVersion(record, at: position)
        state = HandoverMutex(State(versions: Versions(version, at: position.sequence)))
    }

    deinit { table.remove(key, serial: serial) }

    // MARK: Reading

    /// A field of the record, as it is now: at the read view's position inside of one, else at the newest.
    ///
    /// Observation tracks it field by field.
    @inlinable
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        value(FieldToken(R.fields[keyPath: field]))
    }

    /// The value of a field, tracked by Observation.
    @inlinable
    func value<V>(_ token: FieldToken<R, V>) -> V { token.value(in: read(token.place).record) }

    /// The whole record, tracked by Observation as a read of each field.
    public var record: R {
        for slot in table.slots.indices.dropLast() { registrar.access(self, keyPath: table.slots[slot]) }
        return version(logging: -1).record
    }

    /// Whether the record was deleted. Its fields are then what they were last.
    public var isDeleted: Bool { read(table.deletedSlot).isDeleted }

    /// The position of the step that gave the model what it shows. Not tracked.
    public var position: Position { version(logging: nil).position }

    @usableFromInline
    func read(_ slot: Int) -> ModelVersion<R> {
        registrar.access(self, keyPath: table.slots[slot])
        return version(logging: slot)
    }

    /// What is shown to the calling thread.
    ///
    /// - Parameter part: the slot that is read of it, -1 for the whole record; nil where that is of no interest.
    private func version(logging part: Int?) -> ModelVersion<R> {
        guard let view = ReadViewStorage.current(on: table.timeline) else { return visible }
        let version = version(in: view)
        if let part { view.reads?.note(self, version: version.sequence, part: part) }
        return version
    }

    /// What is shown outside of read views.
    var visible: ModelVersion<R> {
        let sequence = table.timeline.visibleSequence
        // One that was read a moment ago may be newer than what is visible.
        return state.withLock { $0.versions.value(at: sequence) ?? $0.versions.oldest }
    }

    /// The position of the newest version, which need not be shown yet.
    var newestSequence: UInt64 { state.withLock { $0.versions.newestSequence } }

    private func version(in view: ReadViewStorage) -> ModelVersion<R> {
        if let known = state.withLock({ $0.versions.value(at: view.sequence) }) { return known }
        // The model is younger than the view.
        guard let read = try? view.record(R.self, id: id) else { return state.withLock { $0.versions.oldest } }
        let version = ModelVersion(read, at: view.position)
        return state.withLock { state in
            if let known = state.versions.value(at: view.sequence) { return known }
            state.versions.addOldest(version, at: view.sequence)
            return version
        }
    }

    /// What Observation knows a slot by. Support for it; nothing to use directly.
    public subscript(_slot slot: Int) -> Void { () }

    // MARK: Steps

    /// Takes what the record is after a step.
    ///
    /// - Parameter changed: what the step says that it changed; nil where that has to be found out.
    func become(_ record: R, at position: Position, _ changed: ChangedFields<R>?) {
        state.withLock { state in
            let before = state.versions.newest
            // It was read at that position already, or is another one by now.
            guard before.sequence < position.sequence, !before.isDeleted else { return }
            let fields = changed ?? ChangedFields(from: before.record, to: record)
            if fields.isEmpty { return }
            state.versions.push(
                ModelVersion(record, at: position, after: before, changedFields: fields), at: position.sequence)
        }
    }

    /// Takes that the record was deleted by a step.
    func becomeDeleted(at position: Position) {
        state.withLock { state in
            let before = state.versions.newest
            guard before.sequence < position.sequence, !before.isDeleted else { return }
            state.versions.push(
                ModelVersion(before.record, at: position, after: before, isDeleted: true), at: position.sequence)
        }
    }

    // MARK: Subscribing

    /// Has a signal raised whenever one of some fields has changed, or the record was deleted.
    ///
    /// - Returns: what ends it.
    func subscribe(_ signal: Signal, to fields: PlaceSet) -> UInt64 {
        let (id, isEnded) = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers.append((state.lastSubscriber, fields, signal))
            return (state.lastSubscriber, state.isEnded)
        }
        if isEnded { signal.end() }
        return id
    }

    func unsubscribe(_ id: UInt64) { state.withLock { $0.subscribers.removeAll { $0.id == id } } }

    /// Has an observer called.
    ///
    /// - Returns: whether the store was closed.
    func add(_ observer: any ModelObserver) -> Bool {
        state.withLock { state in
            state.observers.append(observer)
            return state.isEnded
        }
    }

    /// Ends what ``observe(_:)`` has begun.
    package func unobserve(_ observer: any ModelObserver) {
        state.withLock { $0.observers.removeAll { $0 === observer } }
    }
}

extension Model: Publishing {
    func willShow(_ sequence: UInt64) {
        let slots = changedSlots(sequence)
        if slots.isEmpty { return }
        for slot in slots { registrar.willSet(self, keyPath: table.slots[slot]) }
        for observer in state.withLock({ $0.observers }) { observer.willShow() }
    }

    func didShow(_ sequence: UInt64) {
        for slot in changedSlots(sequence) { registrar.didSet(self, keyPath: table.slots[slot]) }
        let (signals, ended) = state.withLock { state -> ([Signal], [any ModelObserver]) in
            guard let version = state.versions.value(at: sequence), version.sequence == sequence else {
                return ([], [])
            }
            let concerned = state.subscribers.filter { subscriber in
                version.isDeleted || version.changedFields.intersects(declared: subscriber.fields)
            }
            return (concerned.map(\.signal), version.isDeleted ? state.observers : [])
        }
        for signal in signals { signal.raise() }
        for observer in ended { observer.ended() }
    }

    private func changedSlots(_ sequence: UInt64) -> [Int] {
        let version = state.withLock { $0.versions.value(at: sequence) }
        guard let version, version.sequence == sequence else { return [] }
        if version.isDeleted { return [table.deletedSlot] }
        return table.slots.indices.dropLast().filter { version.changedFields.contains(declared: $0) }
    }

    func prune(below floor: UInt64) -> Bool {
        state.withLock { state in
            state.versions.prune(below: floor)
            return state.versions.hasOlder
        }
    }

    func end() {
        let (signals, observers) = state.withLock { state in
            state.isEnded = true
            return (state.subscribers.map(\.signal), state.observers)
        }
        for signal in signals { signal.end() }
        for observer in observers { observer.ended() }
    }
}

extension Model: LoggedSource {
    package func hasChanged(since sequence: UInt64, part: Int) -> Bool {
        let version = state.withLock { $0.versions.newest }
        if version.sequence <= sequence { return false }
        guard part >= 0, version.previousSequence == sequence else { return true }
        return part == table.deletedSlot ? version.isDeleted : version.changedFields.contains(declared: part)
    }
}

extension Model: Hashable {
    /// Whether both are the same object.
    public static func == (left: Model, right: Model) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
