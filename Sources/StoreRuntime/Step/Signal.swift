import LMDB
import StoreEngine

/// One bit for one who waits: raised as often as one likes, taken once.
///
/// - `state` is protected by its mutex.
package final class Signal: Sendable {
    /// Why a wait ended.
    package enum Wake: Sendable {
        case raised, ended, cancelled
    }

    /// The state machine.
    struct State {
        private var isRaised = false
        private var isEnded = false
        private var isCancelled = false
        private var waiter: CheckedContinuation<Wake, Never>?

        /// Begins a wait.
        ///
        /// - Returns: why it is over already; nil when it is not.
        mutating func wait(_ continuation: CheckedContinuation<Wake, Never>) -> Wake? {
            if let wake = take() { return wake }
            precondition(waiter == nil, "two tasks use one iterator at the same time")
            waiter = continuation
            return nil
        }

        /// Raises the bit.
        ///
        /// - Returns: who waits, and why that is over.
        mutating func raise() -> (CheckedContinuation<Wake, Never>, Wake)? {
            isRaised = true
            return release()
        }

        mutating func end() -> (CheckedContinuation<Wake, Never>, Wake)? {
            isEnded = true
            return release()
        }

        mutating func cancel() -> (CheckedContinuation<Wake, Never>, Wake)? {
            isCancelled = true
            return release()
        }

        private mutating func release() -> (CheckedContinuation<Wake, Never>, Wake)? {
            guard let waiter, let wake = take() else { return nil }
            self.waiter = nil
            return (waiter, wake)
        }

        // A raised bit is taken before the end is told, so that the last value is not lost.
        private mutating func take() -> Wake? {
            if isCancelled { return .cancelled }
            if isRaised {
                isRaised = false
                return .raised
            }
            return isEnded ? .ended : nil
        }
    }

    private let state = HandoverMutex(State())

    package init() {}

    /// Waits until the bit is raised, the source has ended, or the task is cancelled.
    package func wait() async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let wake = state.withLock({ $0.wait(continuation) }) { continuation.resume(returning: wake) }
            }
        } onCancel: {
            cancel()
        }
    }

    package func raise() { resume(state.withLock { $0.raise() }) }

    package func end() { resume(state.withLock { $0.end() }) }

    func cancel() { resume(state.withLock { $0.cancel() }) }

    private func resume(_ waiting: (CheckedContinuation<Wake, Never>, Wake)?) {
        if let (continuation, wake) = waiting { continuation.resume(returning: wake) }
    }
}
