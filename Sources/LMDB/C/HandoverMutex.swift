public import Synchronization

/// A `Mutex` whose handover between threads is visible to Thread Sanitizer.
///
/// If a `Mutex` is contended, the standard library acquires it in code that is not instrumented. Thread Sanitizer then reports
/// every later access under it as a race. An atomic that is read after each lock and written before each unlock expresses the
/// same order in instrumented code. On x86, both are plain moves.
///
/// Usable from inline: otherwise the compiler does not specialize `withLock` in other targets, and each call looks up the generic
/// types at run time.
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
