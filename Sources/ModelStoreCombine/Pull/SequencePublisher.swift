#if OpenCombine
@unsafe @preconcurrency public import OpenCombine

/// A publisher of the elements of one of ModelStore's asynchronous sequences.
///
/// Each subscriber has an iterator of its own, which is asked for an element only while there is demand: what comes meanwhile
/// waits in the sequence, which merges it or leaves it on disk, as its documentation says. A subscriber gets its values one
/// after the other, on no particular thread; `receive(on:)` hands them over.
///
/// The subscription keeps alive what the sequence is of until it is cancelled or has ended. Once cancelled nothing more is
/// delivered; when that is done from another thread, a value may just be on its way. The end of the sequence and its error
/// are told to those who wait for a value.
public struct SequencePublisher<Base: AsyncSequence & Sendable>: Publisher, Sendable {
    public typealias Output = Base.Element
    public typealias Failure = Base.Failure

    let base: Base
    /// Whether what is there already is delivered before `request` returns.
    let startsAtOnce: Bool

    init(_ base: Base, startsAtOnce: Bool = true) {
        self.base = base
        self.startsAtOnce = startsAtOnce
    }

    /// Gives the subscriber a subscription of its own.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        subscriber.receive(subscription: PullSubscription(base, subscriber, startsAtOnce: startsAtOnce))
    }
}
#endif
