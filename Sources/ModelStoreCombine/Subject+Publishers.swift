#if OpenCombine
public import ModelStoreComponents
@unsafe @preconcurrency public import OpenCombine

// The program's own classes as publishers.

extension ObjectWillChange: Publisher {
    public typealias Output = Void
    public typealias Failure = Never

    /// Creates a subscription for the subscriber.
    ///
    /// The subscription calls the subscriber before a published property of the object changes, on the thread that sets it, and
    /// for each `send()`. If the subscriber has no demand, it misses the change. The subscription does not keep the object alive,
    /// and finishes when the object is released.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never {
        subscriber.receive(subscription: ObjectChangeSubscription(self, subscriber))
    }
}

extension ModelStoreComponents.Subject {
    /// Publishes the current value before `sink` returns, and then every new value. Finishes when the subject is released.
    ///
    /// A subscriber with demand receives every value before the call that sends it returns: see ``ValuePublisher``. Without
    /// demand, values merge: the subscriber receives the newest one next. A subscription does not keep the subject alive.
    public var publisher: ValuePublisher<SubjectValues<Value>> { values.publisher }
}

extension SubjectValues {
    /// The values as a publisher: every one, as ``ValuePublisher`` says. The publisher of a published property finishes when the
    /// object is released.
    ///
    /// ```swift
    /// session.$user.publisher.sink { print($0) }.store(in: &subscriptions)
    /// session.$user.publisher.assign(to: \.text, on: label).store(in: &subscriptions)
    /// ```
    public var publisher: ValuePublisher<Self> { ValuePublisher(self) }
}

extension StateValues {
    /// The values of one element of a state as a publisher. Values that actions set while the subscriber is busy merge: the
    /// subscriber receives the newest one next.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}
#endif
