import LMDB
public import Observation
import StoreEngine
public import StoreRuntime

/// Holds a value that is sent and observed, outside of any class. State, published properties and bindings are made of subjects.
///
/// ```swift
/// let unit = Subject(Unit.celsius)
/// unit.send(.kelvin)
/// for await value in unit.values { … }      // the value as it is, then each other one
/// let binding = unit.binding(for: \.symbol)
/// ```
///
/// Reading a subject is tracked by Observation. A value that is sent is always stored. It notifies no observer if it is the same
/// as before, by the rule of <doc:ModelsAndLiveQueries#When-two-values-are-the-same>. Observers are notified after the value has
/// changed. Any thread can use a subject. Sequences and publishers of a subject end when it is released: to complete them,
/// release it.
///
/// - `state` is protected by its mutex. No code of callers runs under it. The mutexes of relays are taken while it is held.
public final class Subject<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value
        /// The number of times that a value was stored. An overtaken update finds another number, and reruns.
        var storeCount: UInt64 = 0
        /// The number of times that observers were notified.
        var version: UInt64 = 0
        var taps: [ObjectIdentifier: SubjectTap<Value>] = [:]
        var relays: [ObjectIdentifier: SubjectRelay<Value>] = [:]
        var link = ObjectLink()
        /// The parts of the value that are observed each on its own; nil until one is.
        var parts: ElementTable<Value>?
    }

    private let state: HandoverMutex<State>
    private let tracked = TrackedValue()
    private let areSame: (@Sendable (Value, Value) -> Bool)?
    private let isPublished: Bool

    /// Creates a subject with its first value.
    public convenience init(_ value: Value) { self.init(value, isPublished: false) }

    /// Creates the storage of a published property, for the macro ``Published()``.
    public convenience init(_published value: Value) { self.init(value, isPublished: true) }

    private init(_ value: Value, isPublished: Bool) {
        state = HandoverMutex(State(value: value))
        areSame = Sameness.wholeComparison(of: Value.self)
        self.isPublished = isPublished
    }

    deinit {
        let (value, taps, relays) = state.withLock { ($0.value, Array($0.taps.values), Array($0.relays.values)) }
        for tap in taps { tap.end(with: value) }
        for relay in relays { relay.end(with: value) }
    }

    /// The current value.
    public var value: Value {
        get {
            tracked.access()
            let (value, version) = state.withLock { ($0.value, $0.version) }
            ReadLog.current?.note(self, version: version, part: 0)
            return value
        }
        set { send(newValue) }
    }

    /// Reads a published property, for the macro ``Published()``.
    ///
    /// - Parameter isProperty: returns whether a key path leads to the property.
    public func _value(at isProperty: (AnyKeyPath) -> Bool) -> Value {
        guard let lookup = PublishedLookup.take(), isProperty(lookup.path) else { return value }
        lookup.found = self
        return snapshot.value
    }

    /// Returns a part of the value, tracked on its own: setting another part does not notify its readers.
    func value<Part: Sendable>(at path: any KeyPath<Value, Part> & Sendable) -> Part {
        let known = state.withLock { $0.parts }
        let parts = known ?? addParts()
        parts.track(path)
        let (value, version) = snapshot
        // For an update that sets the subject; the element's own version decides whether the part has changed.
        ReadLog.current?.note(self, version: version, part: 1)
        return value[keyPath: path]
    }

    private func addParts() -> ElementTable<Value> {
        let new = ElementTable<Value>()
        return state.withLock { state in
            let parts = state.parts ?? new
            state.parts = parts
            return parts
        }
    }

    /// Sets the value.
    public func send(_ value: Value) { update { $0 = value } }

    /// Changes the current value.
    ///
    /// - Parameter body: makes the change. If other threads change the value at the same time, it may run more than once, each
    ///   time with the value at that moment.
    public func update(_ body: (inout Value) -> Void) {
        inAtomicUpdate { change(body, ifVersion: $0) { $0.change } }
    }

    /// Sets a published property of an object, for the macro ``Published()``. It calls the object's observers before the change.
    public func _send(_ value: Value, of object: some ObservableObject) {
        inAtomicUpdate { version in
            change({ $0 = value }, ifVersion: version) { link in
                let epoch = ObjectWillChange.epoch
                return link.epoch == epoch ? link.change : self.link(to: object, epoch)
            }
        }
    }

    /// Sets a published property of an object that has no `objectWillChange`.
    @_disfavoredOverload
    public func _send(_ value: Value, of object: AnyObject) { send(value) }

    /// Sets a published property that has observers, for the macro ``Published()``. Sets that an observer itself makes do not
    /// call the observers again.
    public func _observe(
        _ value: Value, before: (Value) -> Void = { _ in }, after: (Value) -> Void = { _ in },
        by set: (Value) -> Void
    ) {
        if ObserverRun.isCurrent(for: self) { return set(value) }
        let old = snapshot.value
        ObserverRun.run(for: self) { before(value) }
        set(value)
        // An update that another thread overtook has set nothing, and makes another set.
        if AtomicUpdate.current?.isAnyOvertaken ?? false { return }
        ObserverRun.run(for: self) { after(old) }
    }

    private func inAtomicUpdate(_ set: (_ version: UInt64?) -> Bool) {
        if let update = AtomicUpdate.current { update.set(self, set) } else { _ = set(nil) }
    }

    /// Changes the value, and notifies the observers.
    ///
    /// - Parameter expected: the version that the value must have; nil for any.
    /// - Returns: false if the value had another version.
    private func change(
        _ body: (inout Value) -> Void, ifVersion expected: UInt64?, link: (ObjectLink) -> ObjectWillChange?
    ) -> Bool {
        var isAnnounced = false
        while true {
            let (outcome, known) = attempt(body, expected, link, &isAnnounced)
            switch outcome {
            case .overtaken where expected == nil: continue
            case .changed(let change):
                // After the change, so that a notified reader reads the new value. A reader that read the old value before it was
                // watched compares the versions.
                MarkingTurn.run {
                    tracked.change()
                    for part in change.parts { part.change(to: change.version) }
                }
                for tap in change.taps { tap.raise() }
                for relay in change.relays { relay.deliver() }
            case .same, .overtaken: break
            }
            // Also if nothing has changed after the announcement. An observer that came after it may have read the old value.
            if isAnnounced { for observer in link(known)?.current ?? [] { observer.didChange() } }
            if case .overtaken = outcome { return false }
            return true
        }
    }

    /// The outcome of one attempt to change the value.
    private enum Outcome {
        case same
        /// Another thread has changed the value in the meantime.
        case overtaken
        case changed(Change)
    }

    /// A change whose observers have not been notified.
    private struct Change {
        let version: UInt64
        let taps: [SubjectTap<Value>]
        let relays: [SubjectRelay<Value>]
        /// The observed parts that differ.
        var parts: [StateElement<Value>]
    }

    /// Changes the value, unless another thread changes it at the same time. The old value is released on return: a reader that
    /// is notified then may find that an object was released.
    ///
    /// - Parameters:
    ///   - expected: as in `change`.
    ///   - isAnnounced: whether the object's observers were called.
    private func attempt(
        _ body: (inout Value) -> Void, _ expected: UInt64?, _ link: (ObjectLink) -> ObjectWillChange?,
        _ isAnnounced: inout Bool
    ) -> (Outcome, ObjectLink) {
        let (old, storeCount, version, known) = state.withLock { ($0.value, $0.storeCount, $0.version, $0.link) }
        if let expected, version != expected { return (.overtaken, known) }
        var new = old
        body(&new)
        let isSame = areSame.map { $0(old, new) } ?? false
        if isSame, Sameness.haveSameBits(old, new) { return (.same, known) }
        if !isSame, !isAnnounced {
            for observer in link(known)?.current ?? [] { observer.willChange() }
            isAnnounced = true
        }
        let (outcome, newest) = state.withLock { state -> (Outcome, ObjectLink) in
            guard state.storeCount == storeCount else { return (.overtaken, state.link) }
            state.value = new
            state.storeCount += 1
            if isSame { return (.same, state.link) }
            state.version += 1
            // Under the lock, so that relays receive the values in their order.
            for relay in state.relays.values { relay.keep(new) }
            let change = Change(
                version: state.version, taps: Array(state.taps.values), relays: Array(state.relays.values),
                parts: state.parts?.all() ?? [])
            return (.changed(change), state.link)
        }
        guard case .changed(var change) = outcome else { return (outcome, newest) }
        change.parts.removeAll { !$0.differs(old, new) }
        return (.changed(change), newest)
    }

    /// Looks up whether an object has observers. The subject keeps the `objectWillChange` of an object that has had some.
    private func link(to object: some ObservableObject, _ epoch: UInt64) -> ObjectWillChange? {
        let found = ObservedLookup.observed(of: object)
        return state.withLock { state in
            if let found { state.link.change = found }
            state.link.epoch = epoch
            return state.link.change
        }
    }

    /// The current value, and then every new one, as an asynchronous sequence. The sequence ends when the subject is released,
    /// and does not keep it alive.
    ///
    /// A slow subscriber skips intermediate values, but always receives the newest, even if it is the last.
    public var values: SubjectValues<Value> { SubjectValues(self) }

    /// A binding to the value.
    public var binding: Binding<Value> {
        Binding(parts: self) { [self] body in update(body) }.of(BindingSource(self))
    }

    /// Returns a binding to a part of the value.
    public func binding<Part: Sendable>(for path: any WritableKeyPath<Value, Part> & Sendable) -> Binding<Part> {
        binding[dynamicMember: path]
    }

    func add(_ tap: SubjectTap<Value>) { state.withLock { $0.taps[ObjectIdentifier(tap)] = tap } }

    func remove(_ tap: SubjectTap<Value>) { state.withLock { $0.taps[ObjectIdentifier(tap)] = nil } }

    /// Adds a relay, and gives it the current value.
    func add(_ relay: SubjectRelay<Value>) {
        state.withLock { state in
            state.relays[ObjectIdentifier(relay)] = relay
            relay.keep(state.value)
        }
    }

    func remove(_ relay: SubjectRelay<Value>) { state.withLock { $0.relays[ObjectIdentifier(relay)] = nil } }

    /// Gives a relay the current value if it lacks that.
    func bringUpToDate(_ relay: SubjectRelay<Value>) { state.withLock { relay.keepIfOwed($0.value) } }

    var snapshot: (value: Value, version: UInt64) { state.withLock { ($0.value, $0.version) } }
}

extension Subject: Equatable {
    /// Returns whether both are the same subject.
    public static func == (left: Subject, right: Subject) -> Bool { left === right }
}

extension Subject: LoggedSource {
    /// Part 0 is the whole value. The elements of other parts report their changes themselves.
    package func hasChanged(since version: UInt64, part: Int) -> Bool {
        part == 0 && state.withLock { $0.version != version }
    }
}

extension Subject: PartSource {
    package var whole: Value { value }

    package func part<Part: Sendable>(_ path: any KeyPath<Value, Part> & Sendable) -> any PartSource<Part> {
        SubjectPart(subject: self, path: path)
    }
}

/// Reads a part of a subject's value, tracked on its own.
private struct SubjectPart<Root: Sendable, Whole: Sendable>: PartSource {
    let subject: Subject<Root>
    let path: any KeyPath<Root, Whole> & Sendable

    var whole: Whole { subject.value(at: path) }

    func part<Part: Sendable>(_ part: any KeyPath<Whole, Part> & Sendable) -> any PartSource<Part> {
        SubjectPart<Root, Part>(subject: subject, path: joined(path, part))
    }
}

extension Subject: PublishedStorage {
    func keep(_ end: () -> ObjectEnd) -> Bool {
        isPublished
            && state.withLock { state in
                if state.link.end != nil { return false }
                state.link.end = end()
                return true
            }
    }
}

/// Links a subject to the object whose property it holds.
private struct ObjectLink {
    /// The object's instance, once it has had observers.
    var change: ObjectWillChange?
    /// The epoch of the last lookup, see ``ObjectWillChange/epoch``.
    var epoch: UInt64 = 0
    /// Reports the object's end.
    var end: ObjectEnd?
}
