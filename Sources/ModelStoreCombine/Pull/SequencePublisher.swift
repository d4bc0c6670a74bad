#if OpenCombine
@unsafe @preconcurrency public import OpenCombine

/// A publisher of the elements of one of ModelStore's asynchronous sequences.
///
/// Each subscriber has its own iterator, which the publisher asks for an element only while there is demand. Until then, new
/// elements wait in the sequence, which merges them or leaves them on disk, as its documentation says. A subscriber receives its
/// values one at a time, on no particular thread. Use `receive(on:)` to receive them elsewhere.
///
/// The subscription keeps the source of the sequence alive until it is cancelled or has finished. A cancelled subscription
/// delivers nothing more. If another thread cancels it, a value may already be on its way. A subscriber receives the end of the
/// sequence, or its error, when it has demand.
public struct SequencePublisher<Base: AsyncSequence & Sendable>: Publisher, Sendable {
    public typealias Output = Base.Element
    public typealias Failure = Base.Failure

    let base: Base
    /// Whether `request` delivers the elements that are already there before it returns.
    let startsAtOnce: Bool

    init(_ base: Base, startsAtOnce: Bool = true) {
        self.base = base
        self.startsAtOnce = startsAtOnce
    }

    /// Creates a subscription for the subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        subscriber.receive(subscription: PullSubscription(base, subscriber, startsAtOnce: startsAtOnce))
    }
}
#endif
