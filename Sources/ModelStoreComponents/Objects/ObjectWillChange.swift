import LMDB
import StoreRuntime
import Synchronization

/// Notifies the observers of an object when it changes. See ``ObservableObject``.
///
/// It has three kinds of subscribers:
///
/// - ``observe(_:)`` calls a closure before a ``Published()`` property of the object changes, and for each ``send()``.
/// - ``values`` is an asynchronous sequence of the same changes.
/// - A component that declares the object updates for each ``send()``. For published properties, it updates for those that it
///   reads.
///
/// While it has no observer, setting a published property costs one comparison more than without it.
///
/// - `state` is protected by its mutex, which is not held while observers are called. `observerCount` is the number of observers.
public final class ObjectWillChange: Sendable {
    private struct State {
        var observers: [ObjectIdentifier: any ObjectChangeObserver] = [:]
        var isEnded = false
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

    /// Notifies the observers, and updates the components that declare the object.
    public func send() {
        let observers = current
        for observer in observers { observer.willChange() }
        sends.update { $0 &+= 1 }
        for observer in observers { observer.didChange() }
    }

    /// The object's changes as a sequence: one element at the start, and one after each change. Changes that arrive while the
    /// subscriber is busy merge into one element. The sequence ends with the object, and does not keep it alive.
    public var values: ObjectChanges { ObjectChanges(self) }

    /// Calls a closure before a published property of the object changes, on the thread that sets it, and for each ``send()``.
    ///
    /// The closure still reads the old value, and must be quick. Setting an equal value does not call it. If several threads set
    /// one property at the same time, the value that the closure reads may be older than the replaced one.
    ///
    /// - Returns: the observation, which ends with its last reference. It does not keep the object alive.
    public func observe(_ body: @escaping @Sendable () -> Void) -> ObjectObservation {
        ObjectObservation(of: self, body)
    }

    /// Makes the calling component update with each ``send()``.
    func declare() { _ = sends.value }

    // MARK: Observers

    /// Adds an observer. After the object's end, the observer receives that end at once.
    package func add(_ observer: any ObjectChangeObserver) {
        let isFirst = state.withLock { state -> Bool? in
            if state.isEnded { return nil }
            state.observers[ObjectIdentifier(observer)] = observer
            observerCount.store(state.observers.count, ordering: .releasing)
            return state.observers.count == 1
        }
        guard let isFirst else { return observer.ended() }
        if isFirst { ObjectWillChange.observedCount.wrappingAdd(1, ordering: .releasing) }
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
