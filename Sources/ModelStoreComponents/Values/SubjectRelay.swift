import LMDB
import StoreRuntime

/// Passes every value of a ``Subject`` to one observer, on the thread that sets it.
///
/// Life: joins the subject when it is resumed for the first time. From then on, the subject keeps the relay, until it is
/// cancelled or the subject is released.
/// - `state` is protected by its mutex. The subject calls ``keep(_:)`` and ``keepIfOwed(_:)`` with its own mutex held, so this
///   class never calls the subject with `state` locked.
final class SubjectRelay<Value: Sendable>: ValueSupply {
    private struct State {
        /// Nil after the end.
        var observer: (any ValueObserver<Value>)?
        var hasJoined = false
        /// Whether the observer was not ready for the newest value.
        var isOwed = false
        var isReleased = false
        /// The released subject's last value, if the observer is owed it.
        var last: Value?
    }

    private weak let subject: Subject<Value>?
    private let state: HandoverMutex<State>

    init(_ subject: Subject<Value>?, _ observer: any ValueObserver<Value>) {
        self.subject = subject
        state = HandoverMutex(State(observer: observer, isReleased: subject == nil))
    }

    package func resume() {
        if let subject {
            let isFirst = state.withLock { state in
                defer { state.hasJoined = true }
                return !state.hasJoined
            }
            if isFirst { subject.add(self) } else { subject.bringUpToDate(self) }
            // A cancellation may have come before the subject had the relay.
            if state.withLock({ $0.observer == nil }) { subject.remove(self) }
        } else {
            // A subject that is going away reports its last value itself, if the relay has joined it.
            state.withLock { if !$0.hasJoined { $0.isReleased = true } }
        }
        deliver()
    }

    package func cancel() {
        subject?.remove(self)
        let old = state.withLock { state in
            defer { (state.observer, state.last) = (nil, nil) }
            return (state.observer, state.last)
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Called by the subject

    /// Hands a new value to the observer, or notes that the observer is owed it.
    func keep(_ value: Value) {
        state.withLock { state in
            state.isOwed = true
            Self.hand(value, &state)
        }
    }

    /// Hands the newest value to the observer, if the observer is owed it.
    func keepIfOwed(_ value: Value) { state.withLock { Self.hand(value, &$0) } }

    /// Reports that the subject was released.
    func end(with value: Value) {
        state.withLock { state in
            state.isReleased = true
            if state.isOwed { state.last = value }
        }
        deliver()
    }

    private static func hand(_ value: Value, _ state: inout State) {
        guard state.isOwed, let observer = state.observer, observer.isReady else { return }
        state.isOwed = false
        observer.keep(value)
    }

    /// Delivers the values that the observer keeps, and the end once the observer has the last value.
    func deliver() {
        let (observer, isOver, last) = state.withLock { state in
            let observer = state.observer
            let last = state.last
            if let last { Self.hand(last, &state) }
            let isOver = state.isReleased && !state.isOwed
            if isOver { (state.observer, state.last) = (nil, nil) }
            return (observer, isOver, last)
        }
        observer?.deliver()
        if isOver { observer?.ended() }
        withExtendedLifetime(last) {}
    }
}
