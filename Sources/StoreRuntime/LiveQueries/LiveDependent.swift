import LMDB
import StoreEngine

/// Raises a subscriber's signal when records of some types have changed in some of their fields.
final class LiveDependent: Sendable {
    /// Returns the types and fields to follow for a catalog. A schema change may give types other numbers and fields other
    /// indexes.
    typealias Reads = @Sendable (Catalog) throws(StoreError) -> [LiveDependencies.OfType]

    private struct State {
        var signal: Signal?
        var isEnded = false
        /// The position of the newest change that concerns the dependent.
        var newestSequence: UInt64 = 0
        /// The additional reads that the last run of the closure noted.
        var noted: [LiveDependencies.OfType] = []
    }

    /// The reads that are known without running a closure.
    let declaredReads: Reads
    private let willEnd: @Sendable (_ newestSequence: UInt64) -> Void
    private let state = HandoverMutex(State())

    /// - Parameters:
    ///   - reads: the declared reads; none for a dependent that follows only the end of the store.
    ///   - willEnd: called while the store closes and can still be read, with the position of the newest change that concerns
    ///     the dependent.
    init(
        _ reads: @escaping Reads = { _ throws(StoreError) in [] },
        willEnd: @escaping @Sendable (_ newestSequence: UInt64) -> Void = { _ in }
    ) {
        declaredReads = reads
        self.willEnd = willEnd
    }

    /// Returns the declared and the noted reads for a catalog.
    func reads(_ catalog: Catalog) throws(StoreError) -> [LiveDependencies.OfType] {
        try declaredReads(catalog) + state.withLock { $0.noted }
    }

    /// Notes the reads besides the declared ones. They take effect with ``Dispatcher/read(_:)``.
    ///
    /// - Returns: whether they differ from the reads noted before.
    func note(_ reads: [LiveDependencies.OfType]) -> Bool {
        state.withLock { state in
            defer { state.noted = reads }
            return state.noted != reads
        }
    }

    /// Sets the signal to raise, in place of the previous one.
    func subscribe(_ signal: Signal) {
        let isEnded = state.withLock { state in
            state.signal = signal
            return state.isEnded
        }
        if isEnded { signal.end() }
    }
}

extension LiveDependent: Publishing {
    func willPublish(_ sequence: UInt64) {}
    func prune(below floor: UInt64) -> Bool { false }

    func didPublish(_ sequence: UInt64) {
        let signal = state.withLock { state in
            state.newestSequence = max(state.newestSequence, sequence)
            return state.signal
        }
        signal?.raise()
    }

    func end() {
        willEnd(state.withLock { $0.newestSequence })
        let signal = state.withLock { state in
            state.isEnded = true
            return state.signal
        }
        signal?.end()
    }
}
