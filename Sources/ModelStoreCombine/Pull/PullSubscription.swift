#if OpenCombine
import LMDB
@unsafe @preconcurrency import OpenCombine

/// What a task does for a subscription.
protocol Pulling: AnyObject, Sendable {
    /// Gives the subscriber values while there is demand.
    func pull() async
}

/// The subscription of one subscriber to an asynchronous sequence.
///
/// Life: made with its iterator; while there is demand a task asks that for values. Ends when it is cancelled, or the sequence
/// ends.
/// - `state` is protected by its mutex, which is not held while the subscriber is called.
/// - `iterator` belongs to the task, and between two tasks to whoever ends the subscription: hence the `@unchecked`.
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
        // A task may not know the subscriber's type, which promises nothing about threads.
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
