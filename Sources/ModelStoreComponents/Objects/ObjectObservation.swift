import LMDB

/// An observation of an object's changes. It ends with its last reference. See ``ObjectWillChange/observe(_:)``.
public final class ObjectObservation: Sendable {
    private weak let change: ObjectWillChange?
    private let observer: ClosureObserver

    init(of change: ObjectWillChange, _ body: @escaping @Sendable () -> Void) {
        self.change = change
        observer = ClosureObserver(body)
        change.add(observer)
    }

    deinit { cancel() }

    /// Ends the observation. A second call does nothing.
    public func cancel() {
        observer.ended()
        change?.remove(observer)
    }
}

/// Calls a closure until it is cancelled. Another closure that is called for the same change can also cancel it.
///
/// - `body` is protected by its mutex, which is not held while the closure runs.
private final class ClosureObserver: ObjectChangeObserver {
    /// A struct, because a lock of a generic type wraps a bare closure once more with each access.
    private struct Body {
        let run: @Sendable () -> Void
    }

    private let body: HandoverMutex<Body?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = HandoverMutex(Body(run: body)) }

    func willChange() { body.withLock { $0 }?.run() }

    func didChange() {}

    func ended() {
        let old = body.withLock { body in
            defer { body = nil }
            return body
        }
        // The captured objects are released outside of the lock.
        withExtendedLifetime(old) {}
    }
}
