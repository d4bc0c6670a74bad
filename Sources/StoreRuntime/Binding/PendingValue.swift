import LMDB
import Observation

/// What a binding has set and is not committed yet. Observed as a property of its own.
///
/// - `state` is protected by its mutex.
final class PendingValue<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value?
        var newest: UInt64 = 0
    }

    private let state = HandoverMutex(State())
    private let registrar = ObservationRegistrar()

    /// What was set last, while it waits.
    var value: Value? {
        registrar.access(self, keyPath: \.value)
        return state.withLock { $0.value }
    }

    /// Makes a change to what waits, or else to what is committed.
    ///
    /// - Returns: the number of the change.
    func begin(_ committed: () -> Value, change: (inout Value) -> Void) -> UInt64 {
        // Outside of the lock, as it locks the model.
        let base = committed()
        return registrar.withMutation(of: self, keyPath: \.value) {
            state.withLock { state in
                var value = state.value ?? base
                change(&value)
                state.value = value
                state.newest += 1
                return state.newest
            }
        }
    }

    /// Forgets what waits when its newest change is committed, and also when one has failed: what was built on it is not
    /// what will be.
    func finish(_ number: UInt64, isFailed: Bool) {
        let isOver = state.withLock { isFailed || $0.newest == number }
        guard isOver else { return }
        registrar.withMutation(of: self, keyPath: \.value) {
            state.withLock { state in
                if isFailed || state.newest == number { state.value = nil }
            }
        }
    }
}
