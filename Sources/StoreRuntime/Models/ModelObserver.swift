/// Somebody who is called as a model changes, on the thread that makes steps, and must be quick: what adapters to other kinds of
/// observers are made of.
package protocol ModelObserver: AnyObject, Sendable {
    /// Called before the model shows something else.
    func willShow()
    /// Called after the model shows that its record was deleted, and when the store was closed; perhaps more than once.
    func ended()
}

extension Model {
    /// Has an observer called, until this is taken back. One that comes after the end is told of it at once.
    package func observe(_ observer: any ModelObserver) { state.observe(observer) }

    /// Ends what ``observe(_:)`` has begun.
    package func unobserve(_ observer: any ModelObserver) { state.unobserve(observer) }
}
