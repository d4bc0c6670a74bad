import LMDB
import StoreEngine

/// The states of the live models of a record type, by key.
///
/// - `states` is protected by its mutex. No model may be let go while it is held: the last reference's end takes it.
final class ModelIndex: Sendable {
    private let states = HandoverMutex<[[UInt8]: ModelState]>([:])

    /// Whether there are none.
    var isEmpty: Bool { states.withLock { $0.isEmpty } }

    /// All of them.
    var all: [ModelState] { states.withLock { Array($0.values) } }

    /// The state of a key.
    func find(_ key: [UInt8]) -> ModelState? { states.withLock { $0[key] } }

    /// Adds a state, unless there is one whose model lives.
    ///
    /// - Parameter isLate: whether it may lack what was applied since it was read.
    /// - Returns: the model of the key; nil when it has to be read again.
    func add(_ state: ModelState, isLate: () -> Bool) -> (any AnyObject & Sendable)? {
        states.withLock { states in
            if let found = states[state.key]?.model { return found }
            if isLate() { return nil }
            states[state.key] = state
            return state.model
        }
    }

    /// Forgets a state, unless another one has taken its place.
    func remove(_ state: ModelState) {
        states.withLock { states in
            if states[state.key] === state { states[state.key] = nil }
        }
    }

    /// The states that a step concerns, each with the place of its change.
    func touched(by changes: [StepChange], of type: OpenType) -> [(place: Int, state: ModelState)] {
        var touched: [(place: Int, state: ModelState)] = []
        states.withLock { states in
            touched.reserveCapacity(min(changes.count, states.count))
            for place in changes.indices where changes[place].type === type {
                if let state = states[changes[place].key] { touched.append((place, state)) }
            }
        }
        return touched
    }
}
