import LMDB
package import StoreEngine
import Synchronization

/// Who is told what observers of a store see, in the order in which it happens: a recorder.
///
/// It is called with a lock held, so it must be quick and must not use the store.
package protocol RuntimeWitness: AnyObject, Sendable {
    /// Models and live results are about to show a position.
    func stepped(to sequence: UInt64)
    /// Somebody has subscribed.
    func subscribed(_ number: Int, to interest: WitnessedInterest)
    /// A subscriber was given a step.
    func delivered(_ number: Int, _ step: LiveStep)
    /// A subscription has ended.
    func unsubscribed(_ number: Int)
    /// A scope was opened, or closed.
    func scope(_ path: String, isOpen: Bool)
}

/// What somebody subscribes to.
package enum WitnessedInterest: Sendable {
    /// A live query, whose steps a witness is told.
    case query(LiveKey)
    /// Something of a record type's records. A witness is not told what the subscriber is given, for a reason.
    case untold(typeName: String, reason: String)
}

/// What a witness calls a subscription.
struct WitnessedSubscription {
    /// Which of the witnesses that the store has had.
    fileprivate let witness: Int
    let number: Int
}

/// Where the witness of a store stands, if it has one.
///
/// - `state` is protected by its mutex; `isTaken` says whether it holds a witness, and is changed with it.
final class WitnessStand: Sendable {
    /// The witness at hand, and what it was told of subscriptions.
    struct State {
        fileprivate(set) var witness: (any RuntimeWitness)?
        /// How many witnesses there have been.
        fileprivate var count = 0
        /// The last subscription that a witness was told of.
        private var lastNumber = 0

        /// Tells that somebody has subscribed, unless the witness knows.
        ///
        /// - Parameter known: what a witness was told, maybe an earlier one.
        /// - Returns: what it is told by; nil where there is no witness.
        mutating func subscribed(
            _ known: WitnessedSubscription?, to interest: WitnessedInterest
        ) -> WitnessedSubscription? {
            guard let witness else { return known }
            if let known, known.witness == count { return known }
            lastNumber += 1
            witness.subscribed(lastNumber, to: interest)
            return WitnessedSubscription(witness: count, number: lastNumber)
        }

        /// Tells that a subscription has ended, where the witness knows of it.
        func unsubscribed(_ known: WitnessedSubscription) {
            if known.witness == count { witness?.unsubscribed(known.number) }
        }
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
            state.count += 1
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
    func inOrder<T>(_ body: ((any RuntimeWitness)?) -> T) -> T { withState { body($0.witness) } }

    /// As ``inOrder(_:)``, with what the witness knows of subscriptions.
    func withState<T>(_ body: (inout State) -> T) -> T {
        guard isTaken.load(ordering: .acquiring) else {
            var none = State()
            return body(&none)
        }
        return state.withLock { body(&$0) }
    }
}

extension Store {
    /// Has a witness told what observers see, from the position on that is shown now: of the steps from the first observer on, as there
    /// are none before.
    ///
    /// - Parameter sequence: a position that is shown before the witness is told anything.
    /// - Throws: ``StoreError``: `inUse` when the store has one.
    package func attach(_ witness: any RuntimeWitness, after sequence: UInt64) async throws {
        try requireOpen()
        if core.stepper.isRunning {
            core.stepper.ask()
            await core.stepper.untilShown(sequence)
        }
        try core.stepper.attach(witness)
    }

    /// The newest change set that this process knows of, while it makes no steps that a witness would be told of; nil when it does.
    package var unobservedSequence: UInt64? {
        // Looked at first: steps that begin meanwhile begin there or later.
        let newest = core.dispatcher.newestSequence
        return core.stepper.isRunning ? nil : newest
    }

    /// How many change sets the feed retains at least.
    package var retainedChangeSets: Int { core.options.limits.retainedChangeSets }

    /// Waits until the feed has moved on after a change set, whoever wrote.
    ///
    /// - Returns: false once the task is cancelled or the store is closed.
    package func untilFeedMoves(after sequence: UInt64) async -> Bool {
        await core.dispatcher.wait(after: sequence, core.access) == .moved
    }

    /// Fails when the store has a witness.
    ///
    /// - Throws: ``StoreError`` with the code `inUse`.
    package func requireUnwitnessed() throws(StoreError) { try core.witnesses.requireFree() }

    /// Ends what ``attach(_:after:)`` began.
    package func detachWitness() { core.witnesses.leave() }
}
