import LMDB
import StoreEngine

/// The outcomes of several closures, and the order in which they ran.
final class RanBox: Sendable {
    struct Ran: Sendable {
        /// The ordinal of the closure's last run among all runs.
        var place = 0
        var results: [StepResult] = []
        /// The position that the write returned; nil if it threw.
        var position: Position?
    }

    private let state: HandoverMutex<(runs: Int, ran: [Ran])>

    init(count: Int) { state = HandoverMutex((0, Array(repeating: Ran(), count: count))) }

    var all: [Ran] { state.withLock { $0.ran } }

    /// Records the results of a run. A later run of the same closure replaces them.
    func set(_ number: Int, _ results: [StepResult]) {
        state.withLock { state in
            state.runs += 1
            state.ran[number].place = state.runs
            state.ran[number].results = results
        }
    }

    /// Records the position that the write returned.
    func set(_ number: Int, _ position: Position) { state.withLock { $0.ran[number].position = position } }
}
