#if OpenCombine
public import ModelStore
@unsafe @preconcurrency public import OpenCombine
public import StoreEngine

extension Model: ObservableObject {
    /// Tells before the model shows something else, and finishes when the record is deleted or the store is closed.
    ///
    /// Subscribers are called on the thread that makes steps, before the step is shown: they must be quick, and not wait for
    /// writes. Nothing is searched for: it takes constant time.
    public var objectWillChange: ModelWillChange<R> { ModelWillChange(model: self) }
}

/// Publishes before a model shows something else. See `Model.objectWillChange`.
///
/// One that comes while a subscriber has no demand is left out. A subscription keeps the model alive until it is cancelled or
/// has ended.
public struct ModelWillChange<R: StoreEngine.Record>: Publisher, Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    let model: Model<R>

    /// Gives the subscriber a subscription of its own.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never {
        subscriber.receive(subscription: WillChangeSubscription(model, subscriber))
    }
}
#endif
