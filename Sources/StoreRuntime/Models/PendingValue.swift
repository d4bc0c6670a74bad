import LMDB
import Observation

/// A value that a binding has set, until it is committed. Observation tracks it as a separate property.
final class PendingValue<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value?
        var newest: UInt64 = 0
        /// How often the value was set or removed.
        var version: UInt64 = 0
    }

    private let state = HandoverMutex(State())
    private let tracked = TrackedValue()

    /// The value that was set last, until it is committed.
    var value: Value? {
        tracked.access()
        let (value, version) = state.withLock { ($0.value, $0.version) }
        ReadLog.current?.note(self, version: version, part: 0)
        return value
    }

    /// Applies a change to the pending value, or to the committed one if no value is pending.
    ///
    /// - Returns: the number of the change.
    func begin(_ committed: () -> Value, change: (inout Value) -> Void) -> UInt64 {
        // Called outside of the lock, because it locks the model.
        let base = committed()
        let number = state.withLock { state in
            var value = state.value ?? base
            change(&value)
            state.value = value
            state.newest += 1
            state.version += 1
            return state.newest
        }
        deliver()
        return number
    }

    /// Removes the pending value when its newest change is committed. It is also removed when any change has failed, because
    /// later changes were built on that one.
    func finish(_ number: UInt64, isFailed: Bool) {
        let isOver = state.withLock { state in
            guard isFailed || state.newest == number else { return false }
            state.value = nil
            state.version += 1
            return true
        }
        if isOver { deliver() }
    }

    // Notifies after the change, so that a notified reader reads the new value. A reader of the old value whose tracking has not
    // begun yet compares versions.
    private func deliver() {
        MarkingTurn.run { tracked.change() }
    }
}

extension PendingValue: LoggedSource {
    package func hasChanged(since version: UInt64, part: Int) -> Bool { state.withLock { $0.version != version } }
}
