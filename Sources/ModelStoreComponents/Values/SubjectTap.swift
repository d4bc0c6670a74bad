import LMDB
import StoreRuntime

/// What a ``Subject`` tells one of its subscribers by.
///
/// - `last` is protected by its mutex; it is set once.
final class SubjectTap<Value: Sendable>: Sendable {
    private let signal = Signal()
    /// The subject's last value, once it is gone.
    private let last = HandoverMutex<Value?>(nil)

    /// Waits for a change, or the end.
    func wait() async -> Signal.Wake { await signal.wait() }

    func raise() { signal.raise() }

    /// Tells the end, of a subject that had a value.
    func end(with value: Value?) {
        last.withLock { $0 = value }
        signal.end()
    }

    func takeLast() -> Value? {
        last.withLock { last in
            defer { last = nil }
            return last
        }
    }
}
