import LMDB
import StoreEngine

/// The states of the live models of a record type, by key.
///
/// - `entries` is protected by its mutex. No model may be released while the mutex is held, because the `deinit` of a model takes
///   it.
final class ModelIndex: Sendable {
    private struct Entries {
        var states: [[UInt8]: ModelState] = [:]
        /// The states that were read at a later position than the last applied one.
        var ahead: [ModelState] = []
        var isEnded = false
    }

    private let entries = HandoverMutex(Entries())

    /// Whether there are no states.
    var isEmpty: Bool { entries.withLock { $0.states.isEmpty } }

    /// All states.
    var all: [ModelState] { entries.withLock { Array($0.states.values) } }

    /// Returns the state of a key.
    func find(_ key: [UInt8]) -> ModelState? { entries.withLock { $0.states[key] } }

    /// Adds a state, unless the key has one with a live model.
    ///
    /// - Parameter applying: returns the position that is being applied, or was applied last.
    /// - Returns: the model of the key; nil if its record has to be read again, because the state may lack changes that were
    ///   applied since.
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

    /// Forgets which states were read ahead of the applied position, up to a position that is being applied now.
    ///
    /// - Returns: the states that were read before that position.
    func takeAhead(before sequence: UInt64) -> [ModelState] {
        entries.withLock { entries in
            if entries.ahead.isEmpty { return [] }
            let reached = entries.ahead.filter { $0.newestSequence < sequence }
            entries.ahead.removeAll { $0.newestSequence <= sequence }
            return reached.filter { entries.states[$0.key] === $0 }
        }
    }

    /// Ends all states that are added from now on at once.
    ///
    /// - Returns: the existing states.
    func end() -> [ModelState] {
        entries.withLock { entries in
            entries.isEnded = true
            return Array(entries.states.values)
        }
    }

    /// Removes a state, unless a newer one has replaced it.
    func remove(_ state: ModelState) {
        entries.withLock { entries in
            if entries.states[state.key] === state { entries.states[state.key] = nil }
        }
    }

    /// Returns the states that a step concerns, each with the index of its change.
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
