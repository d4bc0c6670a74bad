import LMDB
import StoreEngine

/// The states of the live models of a record type, by key.
///
/// - `entries` is protected by its mutex. No model may be let go while it is held: the last reference's end takes it.
final class ModelIndex: Sendable {
    private struct Entries {
        var states: [[UInt8]: ModelState] = [:]
        /// Those that were read at a later position than any that was applied.
        var ahead: [ModelState] = []
        var isEnded = false
    }

    private let entries = HandoverMutex(Entries())

    /// Whether there are none.
    var isEmpty: Bool { entries.withLock { $0.states.isEmpty } }

    /// All of them.
    var all: [ModelState] { entries.withLock { Array($0.states.values) } }

    /// The state of a key.
    func find(_ key: [UInt8]) -> ModelState? { entries.withLock { $0.states[key] } }

    /// Adds a state, unless there is one whose model lives.
    ///
    /// - Parameter applying: gives the position that is being applied, or was last.
    /// - Returns: the model of the key; nil when it has to be read again, as it may lack what was applied since.
    func add(_ state: ModelState, applying: () -> UInt64) -> (any AnyObject & Sendable)? {
        let (model, isEnded) = entries.withLock { entries -> ((any AnyObject & Sendable)?, Bool) in
            if let found = entries.states[state.key]?.model { return (found, false) }
            let (sequence, applying) = (state.newestSequence, applying())
            if sequence < applying { return (nil, false) }
            if sequence > applying { entries.ahead.append(state) }
            entries.states[state.key] = state
            return (state.model, entries.isEnded)
        }
        if isEnded { state.end() }
        return model
    }

    /// Takes those out that were read ahead of what was applied, at positions before one that is applied now.
    func takeAhead(before sequence: UInt64) -> [ModelState] {
        entries.withLock { entries in
            if entries.ahead.isEmpty { return [] }
            let reached = entries.ahead.filter { $0.newestSequence < sequence }
            entries.ahead.removeAll { $0.newestSequence <= sequence }
            return reached.filter { entries.states[$0.key] === $0 }
        }
    }

    /// Has all states that are added from here on end at once.
    ///
    /// - Returns: those that there are.
    func end() -> [ModelState] {
        entries.withLock { entries in
            entries.isEnded = true
            return Array(entries.states.values)
        }
    }

    /// Forgets a state, unless another one has taken its place.
    func remove(_ state: ModelState) {
        entries.withLock { entries in
            if entries.states[state.key] === state { entries.states[state.key] = nil }
        }
    }

    /// The states that a step concerns, each with the place of its change.
    func touched(by changes: [StepChange], of type: OpenType) -> [(changeIndex: Int, state: ModelState)] {
        var touched: [(changeIndex: Int, state: ModelState)] = []
        entries.withLock { entries in
            touched.reserveCapacity(min(changes.count, entries.states.count))
            for changeIndex in changes.indices where changes[changeIndex].type === type {
                if let state = entries.states[changes[changeIndex].key] { touched.append((changeIndex, state)) }
            }
        }
        return touched
    }
}
