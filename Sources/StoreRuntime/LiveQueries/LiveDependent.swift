import LMDB
import StoreEngine

/// Somebody who wants to know when records of some types have changed, in some of their fields.
///
/// - `state` is protected by its mutex.
final class LiveDependent: Sendable {
    /// Tells by a catalog what is read, as the numbers of types and the places of fields are others after a change of the schema.
    typealias Reads = @Sendable (Catalog) throws(StoreError) -> [LiveDependencies.OfType]

    private struct State {
        var signal: Signal?
        var isEnded = false
        /// What was read besides, when it was looked at last.
        var noted: [LiveDependencies.OfType] = []
    }

    /// What is read in any case.
    let declaredReads: Reads
    private let state = HandoverMutex(State())

    /// - Parameter reads: what is read; nothing where only the end of the store is of interest.
    init(_ reads: @escaping Reads = { _ throws(StoreError) in [] }) { declaredReads = reads }

    /// What is read by a catalog.
    func reads(_ catalog: Catalog) throws(StoreError) -> [LiveDependencies.OfType] {
        try declaredReads(catalog) + state.withLock { $0.noted }
    }

    /// Notes what is read besides what is in any case; ``Stepper/read(_:_:)`` has it count.
    ///
    /// - Returns: whether that is something else than before.
    func note(_ reads: [LiveDependencies.OfType]) -> Bool {
        state.withLock { state in
            defer { state.noted = reads }
            return state.noted != reads
        }
    }

    /// Has a signal raised instead of the one before.
    func subscribe(_ signal: Signal) {
        let isEnded = state.withLock { state in
            state.signal = signal
            return state.isEnded
        }
        if isEnded { signal.end() }
    }
}

extension LiveDependent: Publishing {
    func willShow(_ sequence: UInt64) {}
    func didShow(_ sequence: UInt64) { state.withLock { $0.signal }?.raise() }
    func prune(below floor: UInt64) -> Bool { false }

    func end() {
        let signal = state.withLock { state in
            state.isEnded = true
            return state.signal
        }
        signal?.end()
    }
}
