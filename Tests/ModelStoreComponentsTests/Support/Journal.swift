import LMDB

/// A log of events from all threads, in order.
final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [(condition: @Sendable ([String]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = HandoverMutex(State())

    func add(_ line: String) {
        let met = state.withLock { state in
            state.lines.append(line)
            let lines = state.lines
            let met = state.waiters.filter { $0.condition(lines) }.map(\.continuation)
            state.waiters.removeAll { $0.condition(lines) }
            return met
        }
        for continuation in met { continuation.resume() }
    }

    /// Waits until the log meets a condition.
    func until(_ condition: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if condition(state.lines) { return true }
                state.waiters.append((condition, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    var all: [String] { state.withLock { $0.lines } }

    func count(_ line: String) -> Int { all.count { $0 == line } }

    /// Returns the lines added since the last call, and clears the log.
    func take() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }
}
