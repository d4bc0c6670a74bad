import LMDB
import StoreEngine

/// One bit for one waiting task. It can be raised any number of times, and is taken once. Instead of a task, a closure can take
/// it on the thread that raises it.
///
/// - `state` is protected by its mutex.
package final class Signal: Sendable {
    /// Why a wait ended.
    package enum Wake: Sendable {
        case raised, ended, cancelled
    }

    /// The task that waits. Its continuation is unsafe, because each wait would create a checked one, which has nothing to check.
    /// The code that ends a wait has taken its waiter out of the state, once.
    @safe
    struct Waiter: Sendable {
        private let continuation: UnsafeContinuation<Wake, Never>

        init(_ continuation: UnsafeContinuation<Wake, Never>) { unsafe self.continuation = continuation }

        func wake(_ wake: Wake) { unsafe continuation.resume(returning: wake) }
    }

    /// The state machine.
    struct State {
        private var isRaised = false
        private var isEnded = false
        private var isCancelled = false
        private var waiter: Waiter?

        /// Begins a wait.
        ///
        /// - Returns: why the wait is already over; nil if it is not.
        mutating func wait(_ next: Waiter) -> Wake? {
            if let wake = take() { return wake }
            precondition(waiter == nil, "two tasks use one iterator at the same time")
            waiter = next
            return nil
        }

        /// Raises the bit.
        ///
        /// - Returns: the task that waits, and why its wait is over.
        mutating func raise() -> (Waiter, Wake)? {
            isRaised = true
            return release()
        }

        mutating func end() -> (Waiter, Wake)? {
            isEnded = true
            return release()
        }

        mutating func reopen() { isEnded = false }

        mutating func cancel() -> (Waiter, Wake)? {
            isCancelled = true
            return release()
        }

        private mutating func release() -> (Waiter, Wake)? {
            guard let waiter, let wake = take() else { return nil }
            self.waiter = nil
            return (waiter, wake)
        }

        /// Whether the source has ended, and the bit is not raised.
        var isOver: Bool { isEnded && !isRaised }

        // A raised bit is taken before the end is reported, so that the last value is not lost.
        mutating func take() -> Wake? {
            if isCancelled { return .cancelled }
            if isRaised {
                isRaised = false
                return .raised
            }
            return isEnded ? .ended : nil
        }
    }

    private let state = HandoverMutex(State())
    private let onWake: (@Sendable () -> Void)?

    package init() { onWake = nil }

    /// Creates a signal without a task.
    ///
    /// - Parameter onWake: called on the thread that raises or ends the signal, after it has done so.
    init(onWake: @escaping @Sendable () -> Void) { self.onWake = onWake }

    /// Waits until the bit is raised, the source has ended, or the task is cancelled.
    package func wait() async -> Wake {
        await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { (continuation: UnsafeContinuation<Wake, Never>) in
                let waiter = unsafe Waiter(continuation)
                if let wake = state.withLock({ $0.wait(waiter) }) { waiter.wake(wake) }
            }
        } onCancel: {
            cancel()
        }
    }

    package func raise() {
        resume(state.withLock { $0.raise() })
        onWake?()
    }

    package func end() {
        resume(state.withLock { $0.end() })
        onWake?()
    }

    /// Ends the signal while nothing waits, and calls no closure.
    func endQuietly() { resume(state.withLock { $0.end() }) }

    /// Takes the bit, or the end, without waiting; nil if there is neither.
    func take() -> Wake? { state.withLock { $0.take() } }

    /// Whether the source has ended, and the bit is not raised.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes back an end, because the task no longer waits for the source that has ended.
    func reopen() { state.withLock { $0.reopen() } }

    func cancel() { resume(state.withLock { $0.cancel() }) }

    private func resume(_ waiting: (Waiter, Wake)?) {
        if let (waiter, wake) = waiting { waiter.wake(wake) }
    }
}
