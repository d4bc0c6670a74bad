#if OpenCombine
import LMDB
@unsafe @preconcurrency public import OpenCombine
import StoreRuntime

extension Publishers {
    /// Publishes the newest values of two publishers together, after each value of one of them. OpenCombine 0.14 does not have
    /// it.
    ///
    /// The first value arrives when both publishers have one. A subscriber with demand receives a pair for each value, in order.
    /// Without demand, it receives the newest pair next. The publisher finishes when both have finished, or when one finishes
    /// without a value.
    ///
    /// The two values of a pair need not belong together: each publisher has its own times. For several fields of one model, use
    /// `publisher(for: \.a, \.b)`, whose values are of one position.
    public struct CombineLatest<First: Publisher, Second: Publisher>: Publisher
    where First.Failure == Never, Second.Failure == Never {
        public typealias Output = (First.Output, Second.Output)
        public typealias Failure = Never

        private let first: First
        private let second: Second

        /// Combines two publishers.
        public init(_ first: First, _ second: Second) {
            self.first = first
            self.second = second
        }

        /// Creates a subscription for the subscriber, with a subscription to each of the two publishers.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Never {
            ValueSubscription(subscriber, areSame: nil).begin(CombinedSource(first, second))
        }
    }
}

extension Publisher where Failure == Never {
    /// Publishes the newest values of this publisher and a second publisher. See `Publishers.CombineLatest`.
    public func combineLatest<Other: Publisher>(
        _ other: Other
    ) -> Publishers.CombineLatest<Self, Other> where Other.Failure == Never { Publishers.CombineLatest(self, other) }

    /// Publishes the result of a closure for the newest values of this publisher and a second publisher.
    public func combineLatest<Other: Publisher, Result>(
        _ other: Other, _ transform: @escaping (Output, Other.Output) -> Result
    ) -> Publishers.Map<Publishers.CombineLatest<Self, Other>, Result> where Other.Failure == Never {
        combineLatest(other).map { transform($0.0, $0.1) }
    }
}

/// The two publishers, as a source of pairs.
///
/// Sendable, because the thread that subscribes uses them once.
private struct CombinedSource<First: Publisher, Second: Publisher>: ValueSource, @unchecked Sendable
where First.Failure == Never, Second.Failure == Never {
    private let first: First
    private let second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    func supply(_ observer: any ValueObserver<(First.Output, Second.Output)>) -> any ValueSupply {
        CombinedSupply(first, second, observer)
    }
}

/// Passes the newest values of two publishers to one observer.
///
/// Life: subscribes to both when it is resumed for the first time. Ends when it is cancelled, or when no more pairs can come.
/// - `state` is protected by its mutex, which is not held while the publishers are called.
private final class CombinedSupply<First: Publisher, Second: Publisher>: ValueSupply
where First.Failure == Never, Second.Failure == Never {
    /// Sendable, because Combine allows calls of publishers and subscribers on any thread.
    private struct State: @unchecked Sendable {
        /// Nil after the end.
        var observer: (any ValueObserver<(First.Output, Second.Output)>)?
        /// Nil once they are subscribed to.
        var publishers: (First, Second)?
        var subscriptions: [AnyCancellable] = []
        var first: First.Output?
        var second: Second.Output?
        /// Whether the observer was not ready for the newest pair.
        var isOwed = false
        /// The number of publishers that have not finished; 0 if one has finished without a value.
        var openCount = 2

        /// Hands the newest pair to the observer, if the observer lacks it.
        mutating func hand() {
            guard isOwed, let observer, observer.isReady, let first, let second else { return }
            isOwed = false
            observer.keep((first, second))
        }
    }

    private let state: HandoverMutex<State>

    init(_ first: First, _ second: Second, _ observer: any ValueObserver<(First.Output, Second.Output)>) {
        state = HandoverMutex(State(observer: observer, publishers: (first, second)))
    }

    func resume() {
        let publishers = state.withLock { state in
            defer { state.publishers = nil }
            return state.publishers
        }
        if let (first, second) = publishers {
            let subscriptions = [
                first.sink { [self] _ in
                    finish { $0.first != nil }
                } receiveValue: { [self] value in
                    take { $0.first = value }
                },
                second.sink { [self] _ in
                    finish { $0.second != nil }
                } receiveValue: { [self] value in
                    take { $0.second = value }
                },
            ]
            // After a cancellation, these are released here, which cancels them.
            state.withLock { if $0.observer != nil { $0.subscriptions = subscriptions } }
        } else {
            state.withLock { $0.hand() }
        }
        deliver()
    }

    func cancel() {
        let old = state.withLock { state in
            defer {
                (state.observer, state.subscriptions) = (nil, [])
                (state.first, state.second) = (nil, nil)
            }
            return state
        }
        withExtendedLifetime(old) {}
    }

    private func take(_ set: (inout State) -> Void) {
        let old = state.withLock { state in
            let old = state
            set(&state)
            state.isOwed = state.first != nil && state.second != nil
            state.hand()
            return old
        }
        // An old value is released outside the lock.
        withExtendedLifetime(old) {}
        deliver()
    }

    private func finish(_ hasValue: (State) -> Bool) {
        state.withLock { $0.openCount = hasValue($0) ? $0.openCount - 1 : 0 }
        deliver()
    }

    private func deliver() {
        let (observer, isOver) = state.withLock { state in
            let isOver = state.openCount <= 0 && !state.isOwed
            defer { if isOver { state.observer = nil } }
            return (state.observer, isOver)
        }
        observer?.deliver()
        if isOver { observer?.ended() }
    }
}
#endif
