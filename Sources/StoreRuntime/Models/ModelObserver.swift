/// An observer that a model calls on the thread that makes steps, so it must be quick. Adapters to other kinds of observers use
/// it.
package protocol ModelObserver: AnyObject, Sendable {
    /// Called before a new version of the model is published.
    func willPublish()
    /// Called when no more changes come: after the record's deletion is published, or when the store was closed or cannot be read
    /// any more. It may be called more than once.
    func ended()
}

extension Model {
    /// Adds an observer, until ``unobserve(_:)`` removes it. An observer that is added after the end is notified of it at once.
    package func observe(_ observer: any ModelObserver) { state.observe(observer) }

    /// Removes an observer.
    package func unobserve(_ observer: any ModelObserver) { state.unobserve(observer) }
}
