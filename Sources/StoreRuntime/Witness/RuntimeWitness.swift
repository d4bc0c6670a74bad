import LMDB
package import StoreEngine
import Synchronization

/// Who is told what observers of a store see, in the order in which it happens: a recorder.
///
/// It is called with a lock held, so it must be quick and must not use the store.
package protocol RuntimeWitness: AnyObject, Sendable {
    /// Models and live results are about to show a position.
    func stepped(to sequence: UInt64)
    /// Somebody has subscribed to a live query.
    func subscribed(_ number: Int, to key: LiveKey)
    /// A subscriber was given a step.
    func delivered(_ number: Int, _ step: LiveStep)
    /// A subscription has ended.
    func unsubscribed(_ number: Int)
    /// A scope was opened, or closed.
    func scope(_ path: String, isOpen: Bool)
}

/// Where the witness of a store stands, if it has one.
///
/// - `state` is protected by its mutex; `isTaken` says whether it holds a witness, and is changed with it.
final class WitnessStand: Sendable {
    private struct State {
        var witness: (any RuntimeWitness)?
        /// The last subscription that a witness was told of.
        var lastNumber = 0
    }

    private let state = HandoverMutex(State())
    private let isTaken = Atomic(false)

    /// Takes a witness.
    ///
    /// - Parameter shown: what models and live results show, which is told first.
    /// - Throws: ``StoreError`` with the code `inUse` when there is one.
    func enter(_ witness: any RuntimeWitness, shown: () -> UInt64) throws(StoreError) {
        try state.withLock { state throws(StoreError) in
            guard state.witness == nil else { throw Self.taken }
            state.witness = witness
            isTaken.store(true, ordering: .releasing)
            // What was shown before it came is known from the store.
            witness.stepped(to: shown())
        }
    }

    /// Fails when there is a witness.
    func requireFree() throws(StoreError) {
        if state.withLock({ $0.witness != nil }) { throw Self.taken }
    }

    private static let taken = StoreError(
        .inUse, "the store is being recorded already", remedy: "finish that recorder first")

    /// Lets the witness go.
    func leave() {
        state.withLock { state in
            state.witness = nil
            isTaken.store(false, ordering: .releasing)
        }
    }

    /// Does something that the witness is told of, at its place among all of that kind.
    func inOrder<T>(_ body: ((any RuntimeWitness)?) -> T) -> T {
        guard isTaken.load(ordering: .acquiring) else { return body(nil) }
        return state.withLock { body($0.witness) }
    }

    /// Tells that somebody has subscribed.
    ///
    /// - Returns: the subscription's number; nil where there is no witness.
    func subscribed(to key: LiveKey) -> Int? {
        guard isTaken.load(ordering: .acquiring) else { return nil }
        return state.withLock { state in
            guard let witness = state.witness else { return nil }
            state.lastNumber += 1
            witness.subscribed(state.lastNumber, to: key)
            return state.lastNumber
        }
    }
}

extension Store {
    /// Has a witness told what observers see, from the position on that is shown now.
    ///
    /// - Parameter sequence: a position that is shown before the witness is told anything.
    /// - Throws: ``StoreError``: `inUse` when the store has one.
    package func attach(_ witness: any RuntimeWitness, after sequence: UInt64) async throws {
        try requireOpen()
        try core.stepper.start(core)
        core.stepper.ask()
        await core.stepper.untilShown(sequence)
        try core.witnesses.enter(witness) { core.stepper.timeline.visibleSequence }
    }

    /// Fails when the store has a witness.
    ///
    /// - Throws: ``StoreError`` with the code `inUse`.
    package func requireUnwitnessed() throws(StoreError) { try core.witnesses.requireFree() }

    /// Ends what ``attach(_:after:)`` began.
    package func detachWitness() { core.witnesses.leave() }
}
