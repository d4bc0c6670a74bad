#if OpenCombine
import LMDB
import ModelStore
@unsafe @preconcurrency import OpenCombine
import StoreEngine
import StoreRuntime

/// The subscription of one subscriber to the coming changes of a model.
///
/// Life: observes the model from the first demand until it is cancelled, the record is deleted or the store is closed.
/// - `state` is protected by its mutex, which is not held while the subscriber or the model is called.
final class WillChangeSubscription<R: StoreEngine.Record, Downstream: Subscriber>: Subscription, ModelObserver
where Downstream.Input == Void, Downstream.Failure == Never {
    /// Sendable, because Combine allows calls of a subscriber on any thread, one call at a time.
    private struct State: @unchecked Sendable {
        /// Nil after the end.
        var ends: (model: Model<R>, downstream: Downstream)?
        var demand = Subscribers.Demand.none
        var isObserving = false
    }

    private let state: HandoverMutex<State>

    init(_ model: Model<R>, _ downstream: Downstream) { state = HandoverMutex(State(ends: (model, downstream))) }

    func request(_ demand: Subscribers.Demand) {
        let model = state.withLock { state -> Model<R>? in
            state.demand += demand
            if state.isObserving { return nil }
            state.isObserving = true
            return state.ends?.model
        }
        guard let model else { return }
        model.observe(self)
        // The subscriber may have cancelled just before.
        if state.withLock({ $0.ends == nil }) { model.unobserve(self) }
    }

    func cancel() { _ = end() }

    func willPublish() {
        let downstream = state.withLock { state -> Downstream? in
            guard state.demand > .none else { return nil }
            state.demand -= 1
            return state.ends?.downstream
        }
        guard let more = downstream?.receive(()) else { return }
        state.withLock { $0.demand += more }
    }

    func ended() { end()?.receive(completion: .finished) }

    private func end() -> Downstream? {
        let ends = state.withLock { state in
            defer { state.ends = nil }
            return state.ends
        }
        ends?.model.unobserve(self)
        return ends?.downstream
    }
}
#endif
