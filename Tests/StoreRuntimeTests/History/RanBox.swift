import LMDB
import StoreEngine

/// What the runs of several closures left, and in which order they ran.
final class RanBox: Sendable {
    struct Ran: Sendable {
        /// The place of the closure's last run among all runs.
        var place = 0
        var results: [StepResult] = []
        /// What the write returned; nil when it threw.
        var position: Position?
    }

    private let state: HandoverMutex<(runs: Int, ran: [Ran])>

    init(count: Int) { state = HandoverMutex((0, Array(repeating: Ran(), count: count))) }

    var all: [Ran] { state.withLock { $0.ran } }

    /// Notes a run's results; a later run of the same closure replaces them.
    func set(_ number: Int, _ results: [StepResult]) {
        state.withLock { state in
            state.runs += 1
            state.ran[number].place = state.runs
            state.ran[number].results = results
        }
    }

    /// Notes what the write returned.
    func set(_ number: Int, _ position: Position) { state.withLock { $0.ran[number].position = position } }
}
