#if OpenCombine
public import ModelStore
@unsafe @preconcurrency public import OpenCombine
public import StoreEngine

extension Model: ObservableObject {
    /// Sends a value before the model changes. Finishes when the record is deleted or the store is closed.
    ///
    /// The dispatcher calls subscribers before it publishes a step, on the thread that makes the step. They must return quickly
    /// and must not wait for writes. Reading this property takes constant time.
    public var objectWillChange: ModelWillChange<R> { ModelWillChange(model: self) }
}

/// Publishes before the values of a model change. See `Model.objectWillChange`.
///
/// If a subscriber has no demand, it misses the notification. A subscription keeps the model alive until it is cancelled or has
/// finished.
public struct ModelWillChange<R: StoreEngine.Record>: Publisher, Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    let model: Model<R>

    /// Creates a subscription for the subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never {
        subscriber.receive(subscription: WillChangeSubscription(model, subscriber))
    }
}
#endif
