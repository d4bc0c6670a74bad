import LMDB
import StoreRuntime
import Synchronization

/// Notifies the observers of an object when it changes. See ``ObservableObject``.
///
/// It has three kinds of subscribers:
///
/// - ``observe(_:)`` calls a closure before a ``Published()`` property of the object changes, and before each change that
///   ``send(_:)`` makes.
/// - ``values`` is an asynchronous sequence of the same changes.
/// - A component that declares the object updates after each ``send(_:)``. For published properties, it updates for those that it
///   reads.
///
/// ```swift
/// var unit: Unit {
///     get { stored.withLock { $0 } }
///     set { objectWillChange.send { stored.withLock { $0 = newValue } } }
/// }
/// ```
///
/// While it has no observer, setting a published property costs one comparison more than without it.
///
/// - `state` is protected by its mutex, which is not held while observers are called. `observerCount` is the number of observers.
public final class ObjectWillChange: Sendable {
    private struct State {
        var observers: [ObjectIdentifier: any ObjectChangeObserver] = [:]
        var isEnded = false
        /// Called for the first of several observers.
        var onFirstObserver: (@Sendable () -> Void)?
        /// The registry of a component that declares the object.
        weak var registry: OwnershipRegistry?
    }

    private let sends = Subject<UInt64>(0)
    private let state = HandoverMutex(State())
    private let observerCount = Atomic<Int>(0)

    private static let observedCount = Atomic<UInt64>(0)

    /// The number of times that an object in the program got its first observer. While this number stays the same, an object
    /// without observers still has none.
    static var epoch: UInt64 { observedCount.load(ordering: .acquiring) }

    /// Creates an instance without observers.
    public init() {}

    deinit { end() }

    /// Makes a change: calls the observers before it, and notifies the sequences and the components that declare the object after
    /// it.
    ///
    /// - Parameter change: changes the object.
    /// - Returns: the result of the closure.
    public func send<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
        for observer in current { observer.willChange() }
        defer {
            sends.update { $0 &+= 1 }
            // Also those that came during the change, because they may have read the old values.
            for observer in current { observer.didChange() }
        }
        return try change()
    }

    /// Announces a change that the caller makes next, on the host of the components that declare the object.
    ///
    /// In an update of a component, one of its handlers, or ``ComponentHost/update(_:)``, the components update after that
    /// change. Elsewhere they may update before it and keep showing the old values, as may subscribers of ``values``. Use
    /// ``send(_:)`` there. Debug builds give a notice once for the line.
    ///
    /// - Parameters:
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    public func send(file: StaticString = #fileID, line: UInt = #line) {
        #if DEBUG
        if !ThreadChanges.areWatched, let registry = state.withLock({ $0.registry }) {
            registry.notify(
                OwnershipNotice(
                    .earlySend,
                    "objectWillChange.send() announced a change outside the host, so components may update before the "
                        + "change; make it inside: objectWillChange.send { … }", line: SourceLine(file, line)))
        }
        #endif
        send {}
    }

    /// The object's changes as a sequence: one element at the start, and one after each change. Changes that arrive while the
    /// subscriber is busy merge into one element. The sequence ends with the object, and does not keep it alive.
    public var values: ObjectChanges { ObjectChanges(self) }

    /// Calls a closure before a published property of the object changes, on the thread that sets it, and for each ``send(_:)``.
    ///
    /// The closure still reads the old value, and must be quick. Setting an equal value does not call it. If several threads set
    /// one property at the same time, the value that the closure reads may be older than the replaced one.
    ///
    /// - Returns: the observation, which ends with its last reference. It does not keep the object alive.
    public func observe(_ body: @escaping @Sendable () -> Void) -> ObjectObservation {
        ObjectObservation(of: self, body)
    }

    /// Makes the calling component update with each ``send(_:)``.
    func declare(in scope: Scope) {
        _ = sends.value
        #if DEBUG
        state.withLock { $0.registry = scope.registry }
        #endif
    }

    // MARK: Observers

    /// Adds an observer. After the object's end, the observer receives that end at once.
    package func add(_ observer: any ObjectChangeObserver) {
        let (isEnded, isFirst, onFirst) = state.withLock { state in
            if state.isEnded { return (true, false, nil as (@Sendable () -> Void)?) }
            state.observers[ObjectIdentifier(observer)] = observer
            observerCount.store(state.observers.count, ordering: .releasing)
            return (false, state.observers.count == 1, state.onFirstObserver)
        }
        if isEnded { return observer.ended() }
        guard isFirst else { return }
        ObjectWillChange.observedCount.wrappingAdd(1, ordering: .releasing)
        onFirst?()
    }

    /// Calls a closure when the object gets an observer and has no other, and at once if it is observed.
    func onFirstObserver(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onFirstObserver = body }
        if isObserved { body() }
    }

    package func remove(_ observer: any ObjectChangeObserver) {
        let removed = state.withLock { state in
            defer { observerCount.store(state.observers.count, ordering: .releasing) }
            return state.observers.removeValue(forKey: ObjectIdentifier(observer))
        }
        withExtendedLifetime(removed) {}
    }

    /// Whether there are observers.
    var isObserved: Bool { observerCount.load(ordering: .acquiring) > 0 }

    /// The observers at this moment.
    var current: [any ObjectChangeObserver] {
        isObserved ? state.withLock { Array($0.observers.values) } : []
    }

    /// Notifies the observers that the object is gone.
    func end() {
        let observers = state.withLock { state in
            defer {
                state.observers = [:]
                state.isEnded = true
            }
            return Array(state.observers.values)
        }
        observerCount.store(0, ordering: .releasing)
        for observer in observers { observer.ended() }
    }
}

/// An observer of an object's changes. It is called on the thread that makes a change.
package protocol ObjectChangeObserver: AnyObject, Sendable {
    /// Called before the change.
    func willChange()

    /// Called after the change.
    func didChange()

    /// Called when the object is gone.
    func ended()
}
