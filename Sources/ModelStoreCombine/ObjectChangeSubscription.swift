#if OpenCombine
import LMDB
import ModelStoreComponents
@unsafe @preconcurrency import OpenCombine

/// The subscription of one subscriber to the changes of an object of the program.
///
/// Life: observes the object from the first demand until the subscription is cancelled or the object is released.
/// - `state` is protected by its mutex, which is not held while the subscriber is called.
final class ObjectChangeSubscription<Downstream: Subscriber>: Subscription, ObjectChangeObserver
where Downstream.Input == Void, Downstream.Failure == Never {
    /// Sendable, because Combine allows calls of a subscriber on any thread, one call at a time.
    private struct State: @unchecked Sendable {
        /// Nil after the end.
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var isObserving = false
    }

    private weak let change: ObjectWillChange?
    private let state: HandoverMutex<State>

    init(_ change: ObjectWillChange, _ downstream: Downstream) {
        self.change = change
        state = HandoverMutex(State(downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        let isFirst = state.withLock { state in
            state.demand += demand
            defer { state.isObserving = true }
            return !state.isObserving && state.downstream != nil
        }
        guard isFirst else { return }
        // If the object was released in the meantime, the subscriber receives only the end.
        guard let change else { return ended() }
        change.add(self)
        // The subscriber may have cancelled just before.
        if state.withLock({ $0.downstream == nil }) { change.remove(self) }
    }

    func cancel() {
        _ = end()
        change?.remove(self)
    }

    func willChange() {
        let downstream = state.withLock { state -> Downstream? in
            guard state.demand > .none, let downstream = state.downstream else { return nil }
            state.demand -= 1
            return downstream
        }
        guard let more = downstream?.receive(()) else { return }
        state.withLock { $0.demand += more }
    }

    func didChange() {}

    func ended() { end()?.receive(completion: .finished) }

    private func end() -> Downstream? {
        state.withLock { state in
            defer { state.downstream = nil }
            return state.downstream
        }
    }
}
#endif
