public import Synchronization

/// A `Mutex` whose hand-over from thread to thread Thread Sanitizer can see.
///
/// When a `Mutex` is contended, the standard library takes it in code that is not instrumented, and every later access
/// under it is reported as a race. An atomic that is written before each unlock and read after each lock says the same
/// in code that is. On x86 both are plain moves.
///
/// Usable from inline: else the compiler does not specialize `withLock` in the targets that call it, and each call looks up the
/// generic types.
@usableFromInline
package struct HandoverMutex<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover = Atomic<UInt8>(0)

    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the lock held.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
