import Dispatch
import LMDB

/// Passes one value from one thread to another that waits for it.
package final class Handover<Value: Sendable>: Sendable {
    private let value = HandoverMutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    package init() {}

    /// Passes the value. Call it once.
    package func give(_ given: Value) {
        value.withLock { $0 = given }
        isThere.signal()
    }

    /// Blocks until the value is there, and returns it.
    package func wait() -> Value {
        isThere.wait()
        guard let given = value.withLock({ $0 }) else {
            preconditionFailure("a handover was signalled without a value")
        }
        return given
    }
}

/// Holds the newest result of a write closure, which may run more than once.
final class ResultBox<Value: Sendable>: Sendable {
    private let value = HandoverMutex<Value?>(nil)

    /// Keeps `newest` and drops the previous result.
    func set(_ newest: Value) { value.withLock { $0 = newest } }

    /// Returns the newest result.
    func get() -> Value? { value.withLock { $0 } }
}
