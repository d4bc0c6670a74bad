#if OpenCombine
import LMDB
@unsafe @preconcurrency import OpenCombine

/// The work of a task for a subscription.
protocol Pulling: AnyObject, Sendable {
    /// Delivers values to the subscriber while there is demand.
    func pull() async
}

/// The subscription of one subscriber to an asynchronous sequence.
///
/// Life: created with its iterator. While there is demand, a task asks the iterator for values. Ends when it is cancelled or the
/// sequence ends.
/// - `state` is protected by its mutex, which is not held while the subscriber is called.
/// - `iterator` belongs to the task. While no task runs, it belongs to the caller that ends the subscription: hence the
///   `@unchecked`.
final class PullSubscription<Base: AsyncSequence & Sendable, Downstream: Subscriber>: Subscription, Pulling,
    @unchecked Sendable
where Downstream.Input == Base.Element, Downstream.Failure == Base.Failure {
    private let state: HandoverMutex<PullState<Downstream>>
    private var iterator: Base.AsyncIterator?
    private let startsAtOnce: Bool

    init(_ base: Base, _ downstream: Downstream, startsAtOnce: Bool) {
        state = HandoverMutex(PullState(downstream))
        iterator = base.makeAsyncIterator()
        self.startsAtOnce = startsAtOnce
    }

    func request(_ demand: Subscribers.Demand) {
        guard let run = state.withLock({ $0.request(demand) }) else { return }
        // The task must not know the subscriber's type, which is not Sendable.
        let pulling: any Pulling = self
        let task = startsAtOnce ? Task.immediate { await pulling.pull() } : Task { await pulling.pull() }
        if !state.withLock({ $0.keep(task, run) }) { task.cancel() }
    }

    func cancel() {
        guard let ended = state.withLock({ $0.end() }) else { return }
        if ended.isResting { iterator = nil }
        ended.task?.cancel()
    }

    func pull() async {
        while true {
            switch state.withLock({ $0.next() }) {
            case .pull: await deliverNext()
            case .rest: return
            case .end:
                iterator = nil
                return
            }
        }
    }

    private func deliverNext() async {
        guard var iterator else { return }
        do throws(Base.Failure) {
            let value = try await iterator.next(isolation: nil)
            self.iterator = iterator
            guard let value else { return finish(.finished) }
            guard let downstream = state.withLock({ $0.take() }) else { return }
            let more = downstream.receive(value)
            state.withLock { $0.add(more) }
        } catch {
            finish(.failure(error))
        }
    }

    private func finish(_ completion: Subscribers.Completion<Base.Failure>) {
        let ended = state.withLock { $0.end() }
        iterator = nil
        ended?.downstream?.receive(completion: completion)
    }
}
#endif
