import LMDB
import Observation

/// The value that a binding has set and that is not committed yet. Observed as a separate property.
///
/// - `state` is protected by its mutex.
final class PendingValue<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value?
        var newest: UInt64 = 0
        /// How often the value was set or forgotten.
        var version: UInt64 = 0
    }

    private let state = HandoverMutex(State())
    private let tracked = TrackedValue()

    /// The value that was set last, while it waits.
    var value: Value? {
        tracked.access()
        let (value, version) = state.withLock { ($0.value, $0.version) }
        ReadLog.current?.note(self, version: version, part: 0)
        return value
    }

    /// Makes a change to what waits, or else to what is committed.
    ///
    /// - Returns: the number of the change.
    func begin(_ committed: () -> Value, change: (inout Value) -> Void) -> UInt64 {
        // Outside of the lock, as it locks the model.
        let base = committed()
        let number = state.withLock { state in
            var value = state.value ?? base
            change(&value)
            state.value = value
            state.newest += 1
            state.version += 1
            return state.newest
        }
        tell()
        return number
    }

    /// Forgets the waiting value when its newest change is committed. Also when one has failed, as later changes were built on it.
    func finish(_ number: UInt64, isFailed: Bool) {
        let isOver = state.withLock { state in
            guard isFailed || state.newest == number else { return false }
            state.value = nil
            state.version += 1
            return true
        }
        if isOver { tell() }
    }

    // After the change: a notified reader reads the new value. A reader of the old one that was not watched yet compares versions.
    private func tell() {
        MarkingTurn.run { tracked.change() }
    }
}

extension PendingValue: LoggedSource {
    package func hasChanged(since version: UInt64, part: Int) -> Bool { state.withLock { $0.version != version } }
}
