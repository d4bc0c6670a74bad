import StoreRuntime

/// The changes of an object that the program defines. See ``ObjectWillChange/values``, and <doc:Concurrency#How-a-sequence-ends>.
///
/// An element arrives after the change that it reports, so the subscriber reads the new values.
public struct ObjectChanges: AsyncSequence, Sendable {
    public typealias Element = Void
    public typealias Failure = Never

    /// A weak reference that a sequence and its iterators share.
    fileprivate final class Reference: Sendable {
        weak let change: ObjectWillChange?

        init(_ change: ObjectWillChange) { self.change = change }
    }

    private let reference: Reference

    init(_ change: ObjectWillChange) { reference = Reference(change) }

    /// Starts a separate subscription, whose first element arrives at once.
    public func makeAsyncIterator() -> Iterator { Iterator(reference) }

    /// Waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let storage: Storage

        fileprivate init(_ reference: Reference) { storage = Storage(reference) }

        /// Waits for a change. Returns nil at the end, and when the task is cancelled.
        public mutating func next() async -> Void? { await storage.next() }
    }

    /// The state of one iterator's subscription to the object.
    private final class Storage {
        private let reference: Reference
        private let watch = Watch()

        init(_ reference: Reference) {
            self.reference = reference
            guard let change = reference.change else {
                watch.ended()
                return
            }
            watch.signal.raise()
            change.add(watch)
        }

        deinit { reference.change?.remove(watch) }

        func next() async -> Void? { await watch.signal.wait() == .raised ? () : nil }
    }

    private final class Watch: ObjectChangeObserver {
        let signal = Signal()

        func willChange() {}

        func didChange() { signal.raise() }

        func ended() { signal.end() }
    }
}

extension ObjectChanges: SourcedSequence {
    package var source: AnyObject? { reference.change }
}
