import Synchronization

/// An answer that a task can wait for, with a time limit.
///
/// - `state` is protected by its mutex.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, Never>)
        case given(Value)
    }

    private let state = Mutex(State.open)

    /// The answer, if it is already there.
    var value: Value? {
        state.withLock { state -> Value? in
            if case .given(let value) = state { value } else { nil }
        }
    }

    /// Gives the answer, once.
    func give(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            defer { state = .given(value) }
            return if case .awaited(let waiter) = state { waiter } else { nil }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the answer; nil when the limit has passed or the task is cancelled. Only one task may wait at a time.
    func value(within limit: Duration) async -> Value? {
        let timer = Task {
            try? await Task.sleep(for: limit)
            self.giveUp()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value?? in
                    if case .given(let value) = state { return .some(value) }
                    if Task.isCancelled { return .some(nil) }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            giveUp()
        }
    }

    /// Ends the wait without an answer, which may come later.
    private func giveUp() {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            guard case .awaited(let waiter) = state else { return nil }
            state = .open
            return waiter
        }
        waiter?.resume(returning: nil)
    }
}
