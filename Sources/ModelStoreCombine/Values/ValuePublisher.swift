#if OpenCombine
@unsafe @preconcurrency public import OpenCombine
import StoreRuntime

/// A publisher of every value of a subject, a published property or a model.
///
/// A subscriber with demand receives each value, in order, on the thread that sets or publishes it:
///
/// - **A subject and a published property** call the subscriber before the set returns. If the subscriber is still busy with an
///   earlier value, the thread that delivers that one delivers the new one next. The same holds for a set in the subscriber
///   itself.
/// - **A model** calls the subscriber on the thread that makes steps, after each step that changes the value. The next step, and
///   each write that waits for it, waits for the subscriber. A step holds all commits since the step before, so these are one
///   value. The subscriber must not wait for a write of the store.
///
/// No value is merged or dropped while there is demand. Values wait only for a busy subscriber, and no more of them than it has
/// requested: a subscriber bounds their memory by its demand, and `sink` requests any number. Without demand, the subscriber
/// receives the newest value next, as from a `CurrentValueSubject`. ``merged`` merges values for a subscriber that is slow, and
/// delays no setter and no step.
///
/// The first value arrives before `subscribe` and `sink` return. The completion needs no demand, but comes after the newest
/// value.
///
/// A subscription to a model keeps it alive until the subscription is cancelled or has finished. A subscription does not keep
/// a subject or an object alive.
public struct ValuePublisher<Base: AsyncSequence & Sendable>: Publisher, Sendable where Base.Failure == Never {
    public typealias Output = Base.Element
    public typealias Failure = Never

    private let base: Base
    private let source: any ValueSource<Base.Element>

    init(_ base: Base) where Base: ValueSource {
        self.base = base
        source = base
    }

    /// The same values, in a task of the subscription. Values that arrive while the subscriber is busy merge: it receives the
    /// newest one next.
    public var merged: SequencePublisher<Base> { SequencePublisher(base) }

    /// Creates a subscription for the subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        ValueSubscription(subscriber, areSame: source.areSame).begin(source)
    }
}
#endif
