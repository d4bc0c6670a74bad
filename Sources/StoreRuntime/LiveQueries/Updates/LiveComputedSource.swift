import LMDB
import StoreEngine

/// A value that a closure computes again whenever records of some types have changed.
final class LiveComputedSource<Value: Sendable>: LiveValueSource {
    private let core: StoreCore
    private let dependent: LiveDependent
    private let compute: @Sendable (borrowing ReadView) throws -> Value
    private let finalValue: FinalValue<Value>
    private let witnessed: UnrecordedSubscription

    /// - Parameter typeName: the name of the request's record type.
    init(
        _ core: StoreCore, _ signal: Signal, _ reads: @escaping LiveDependent.Reads, ofTypeNamed typeName: String,
        _ compute: @escaping @Sendable (borrowing ReadView) throws -> Value
    ) throws {
        self.core = core
        self.compute = compute
        let finalValue = FinalValue<Value>()
        self.finalValue = finalValue
        try core.dispatcher.start()
        dependent = LiveDependent(reads) { [core] newestSequence in
            finalValue.compute(ifAfter: newestSequence) {
                try core.view { view in LiveValue(value: try compute(view), position: view.position) }
            }
        }
        dependent.subscribe(signal)
        try core.dispatcher.follow(dependent)
        witnessed = UnrecordedSubscription(core.witnesses, typeName, because: "a closure computes the values")
    }

    deinit { core.dispatcher.remove(dependent) }

    func settle() async {}

    func current() throws -> LiveValue<Value> {
        witnessed.report()
        do {
            return try computed()
        } catch let error as StoreError where error.code == .closed {
            guard let value = try finalValue.take() else { throw error }
            return value
        }
    }

    private func computed() throws -> LiveValue<Value> {
        let reads = NotedReads()
        let (value, others) = try core.view { view in
            let value = LiveValue(value: try compute(ReadView(view, noting: reads)), position: view.position)
            return (value, reads.all(besides: try dependent.declaredReads(view._reading.catalog)))
        }
        finalValue.note(value.position.sequence)
        if dependent.note(others), let newest = try follow(), newest > value.position.sequence {
            // The dependent follows the additional fields only from now on, so a commit in between may have changed them
            // unnoticed.
            dependent.didPublish(newest)
        }
        return value
    }

    /// Follows the noted reads too.
    ///
    /// - Returns: the position from which on they are followed; nil if the store has closed meanwhile.
    private func follow() throws -> UInt64? {
        do {
            return try core.dispatcher.read(dependent).sequence
        } catch let error as StoreError where error.code == .closed {
            return nil
        }
    }

    var failure: StoreError? { nil }
}

/// The value of a change that the subscriber has not taken when its store closes. It is computed while the store can still be
/// read, and at most once.
///
/// - `state` is protected by its mutex.
private final class FinalValue<Value: Sendable>: Sendable {
    private struct State {
        /// The position of the value that the subscriber computed last; nil before the first one.
        var takenSequence: UInt64?
        var result: Result<LiveValue<Value>, any Error>?
    }

    private let state = HandoverMutex(State())

    /// Notes the position of a value that the subscriber has computed.
    func note(_ sequence: UInt64) { state.withLock { $0.takenSequence = sequence } }

    /// Computes the value, if the subscriber has begun and lacks the change at a position.
    func compute(ifAfter newestSequence: UInt64, _ body: () throws -> LiveValue<Value>) {
        guard let taken = state.withLock({ $0.takenSequence }), newestSequence > taken else { return }
        let result = Result { try body() }
        state.withLock { $0.result = result }
    }

    /// Returns the value once; nil if there is none.
    ///
    /// - Throws: the error of computing the value.
    func take() throws -> LiveValue<Value>? {
        let result = state.withLock { state in
            defer { state.result = nil }
            return state.result
        }
        return try result?.get()
    }
}
