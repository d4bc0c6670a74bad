#if OpenCombine
public import ModelStoreComponents
@unsafe @preconcurrency public import OpenCombine

// A program's own classes as publishers.

extension ObjectWillChange: Publisher {
    public typealias Output = Void
    public typealias Failure = Never

    /// Gives the subscriber a subscription of its own.
    ///
    /// It calls the subscriber before a published property of the object changes, on the thread that sets it, and for each
    /// `send()`. A change that comes while the subscriber has no demand is left out. The subscription does not keep the object
    /// alive, and finishes when that is gone.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never {
        subscriber.receive(subscription: ObjectChangeSubscription(self, subscriber))
    }
}

extension ModelStoreComponents.Subject {
    /// The value now, before `sink` returns, and then each other one; finishes when the subject is gone.
    ///
    /// While a subscriber has no demand, values merge: the newest is next. A subscription does not keep the subject alive.
    public var publisher: SequencePublisher<SubjectValues<Value>> { values.publisher }
}

extension SubjectValues {
    /// The values as a publisher. That of a published property finishes when the object is gone.
    ///
    /// ```swift
    /// session.$user.publisher.sink { print($0) }.store(in: &subscriptions)
    /// session.$user.publisher.assign(to: \.text, on: label).store(in: &subscriptions)
    /// ```
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension StateValues {
    /// The values of an element of a state as a publisher.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}
#endif
