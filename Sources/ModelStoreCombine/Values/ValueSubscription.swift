#if OpenCombine
import LMDB
@unsafe @preconcurrency import OpenCombine
import StoreRuntime

/// The subscription of one subscriber to every value of a source.
///
/// Life: begins with its supply. Ends when it is cancelled or the source ends.
/// - `state` is protected by its mutex, which is not held while the subscriber or the supply is called.
/// - `last` belongs to the thread that delivers: hence the `@unchecked`.
final class ValueSubscription<Value, Downstream: Subscriber>: Subscription, ValueObserver, @unchecked Sendable
where Downstream.Input == Value, Downstream.Failure == Never {
    private let state: HandoverMutex<DeliveryState<Downstream>>
    private let areSame: (@Sendable (Value, Value) -> Bool)?
    /// The value that was delivered last, if later ones are compared with it.
    private var last: Value?

    init(_ downstream: Downstream, areSame: (@Sendable (Value, Value) -> Bool)?) {
        state = HandoverMutex(DeliveryState(downstream))
        self.areSame = areSame
    }

    /// Starts the subscription, and delivers the values for which the subscriber has demand.
    func begin(_ source: any ValueSource<Value>) {
        // The thread that subscribes delivers the first value, so this returns only after that.
        guard let downstream = state.withLock({ $0.begin() }) else { return }
        downstream.receive(subscription: self)
        let supply = source.supply(self)
        if state.withLock({ $0.keep(supply) }) { supply.resume() } else { supply.cancel() }
        deliverAll()
    }

    func request(_ demand: Subscribers.Demand) { state.withLock { $0.request(demand) }?.resume() }

    func cancel() {
        let ended = state.withLock { $0.end() }
        ended.supply?.cancel()
    }

    // MARK: Called by the supply

    var isReady: Bool { state.withLock { $0.isReady } }

    func keep(_ value: Value) { state.withLock { $0.keep(value) } }

    func deliver() {
        if state.withLock({ $0.begin() }) != nil { deliverAll() }
    }

    func ended() {
        state.withLock { $0.complete() }
        deliver()
    }

    // MARK: Delivering

    /// Delivers the values that are kept. One thread at a time does this. Other threads leave their values to it.
    private func deliverAll() {
        while let delivery = state.withLock({ $0.next() }) {
            switch delivery {
            case .value(let value, let downstream):
                // A value that is left out did not use up its demand.
                let more = isRepeated(value) ? .max(1) : downstream.receive(value)
                if more > .none { request(more) }
            case .end(let downstream):
                cancel()
                downstream.receive(completion: .finished)
            }
        }
    }

    private func isRepeated(_ value: Value) -> Bool {
        guard let areSame else { return false }
        if let last, areSame(last, value) { return true }
        last = value
        return false
    }
}
#endif
