import LMDB
import StoreRuntime

/// Notifies one subscriber of a ``Subject``.
///
/// - `last` is protected by its mutex; it is set once.
final class SubjectTap<Value: Sendable>: Sendable {
    private let signal = Signal()
    /// The subject's last value, once the subject is released.
    private let last = HandoverMutex<Value?>(nil)

    /// Waits for a change, or for the end.
    func wait() async -> Signal.Wake { await signal.wait() }

    func raise() { signal.raise() }

    /// Reports the end. The value is nil if there was no subject.
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
