import LMDB
package import StoreEngine
import Synchronization

/// A recorder, which receives the deliveries to a store's observers in their order.
///
/// It is called with a lock held, so it must be quick and must not use the store.
package protocol RuntimeWitness: AnyObject, Sendable {
    /// Called before a position is published to models and live results.
    func stepped(to sequence: UInt64)
    /// Called when a subscription has begun.
    func subscribed(_ number: Int, to interest: WitnessedInterest)
    /// Called when a subscriber receives a step.
    func delivered(_ number: Int, _ step: LiveStep)
    /// Called when a subscription has ended.
    func unsubscribed(_ number: Int)
    /// Called when a scope was opened or closed.
    func scope(_ path: String, isOpen: Bool)
}

/// The subject of a subscription.
package enum WitnessedInterest: Sendable {
    /// A live query, whose steps the witness receives.
    case query(LiveKey)
    /// Records of one type. The witness does not receive the deliveries, for the given reason.
    case unrecorded(typeName: String, reason: String)
}

/// The identity of a subscription for a witness.
struct WitnessedSubscription {
    /// The number of the witness among all that the store has had.
    fileprivate let witness: Int
    let number: Int
}

/// Holds the witness of a store, if it has one.
///
/// - `state` is protected by its mutex; `isTaken` says whether it holds a witness, and is changed with it.
final class WitnessStand: Sendable {
    /// The current witness, and the numbers of the subscriptions that were reported.
    struct State {
        fileprivate(set) var witness: (any RuntimeWitness)?
        /// How many witnesses there have been.
        fileprivate var count = 0
        /// The number of the last reported subscription.
        private var lastNumber = 0

        /// Reports a subscription, unless the witness knows it.
        ///
        /// - Parameter known: the identity from an earlier report, maybe to an earlier witness.
        /// - Returns: the identity of the subscription; `known` if there is no witness.
        mutating func subscribed(
            _ known: WitnessedSubscription?, to interest: WitnessedInterest
        ) -> WitnessedSubscription? {
            guard let witness else { return known }
            if let known, known.witness == count { return known }
            lastNumber += 1
            witness.subscribed(lastNumber, to: interest)
            return WitnessedSubscription(witness: count, number: lastNumber)
        }

        /// Reports the end of a subscription, if the witness knows it.
        func unsubscribed(_ known: WitnessedSubscription) {
            if known.witness == count { witness?.unsubscribed(known.number) }
        }
    }

    private let state = HandoverMutex(State())
    private let isTaken = Atomic(false)

    /// Adds a witness.
    ///
    /// - Parameter shown: returns the published position, which the witness receives first.
    /// - Throws: ``StoreError`` with the code `inUse` if there is a witness.
    func enter(_ witness: any RuntimeWitness, shown: () -> UInt64) throws(StoreError) {
        try state.withLock { state throws(StoreError) in
            guard state.witness == nil else { throw Self.taken }
            state.witness = witness
            state.count += 1
            isTaken.store(true, ordering: .releasing)
            // The witness can read the earlier states from the store.
            witness.stepped(to: shown())
        }
    }

    /// Throws if there is a witness.
    func requireFree() throws(StoreError) {
        if state.withLock({ $0.witness != nil }) { throw Self.taken }
    }

    private static let taken = StoreError(
        .inUse, "the store is already being recorded", remedy: "finish the other recorder first")

    /// Removes the witness.
    func leave() {
        state.withLock { state in
            state.witness = nil
            isTaken.store(false, ordering: .releasing)
        }
    }

    /// Runs `body` with the witness, if there is one, in order with all other reports to it.
    func inOrder<T>(_ body: ((any RuntimeWitness)?) -> T) -> T { withState { body($0.witness) } }

    /// As ``inOrder(_:)``, with the subscriptions that the witness knows.
    func withState<T>(_ body: (inout State) -> T) -> T {
        guard isTaken.load(ordering: .acquiring) else {
            var none = State()
            return body(&none)
        }
        return state.withLock { body(&$0) }
    }
}

extension Store {
    /// Adds a witness, which receives the deliveries to observers from the published position on. It receives steps only after
    /// the first observer has come, because there are none before.
    ///
    /// - Parameter sequence: a position that is published before the witness receives anything.
    /// - Throws: ``StoreError``: `inUse` if the store has a witness.
    package func attach(_ witness: any RuntimeWitness, after sequence: UInt64) async throws {
        try requireOpen()
        if core.dispatcher.isRunning {
            core.dispatcher.ask()
            await core.dispatcher.waitUntilPublished(sequence)
        }
        try core.dispatcher.attach(witness)
    }

    /// The newest change set that this process knows, if it makes no steps that a witness would receive; nil if it does.
    package var unobservedSequence: UInt64? {
        // Read first: steps that begin meanwhile begin at this position or later.
        let newest = core.notifier.newestSequence
        return core.dispatcher.isRunning ? nil : newest
    }

    /// The least number of change sets that the feed retains.
    package var retainedChangeSets: Int { core.options.limits.retainedChangeSets }

    /// Waits until the feed has a change set after the given one, whichever process wrote it.
    ///
    /// - Returns: false once the task is cancelled or the store is closed.
    package func untilFeedMoves(after sequence: UInt64) async throws(StoreError) -> Bool {
        try await core.notifier.wait(after: sequence, core.access) == .moved
    }

    /// Throws if the store has a witness.
    ///
    /// - Throws: ``StoreError`` with the code `inUse`.
    package func requireUnwitnessed() throws(StoreError) { try core.witnesses.requireFree() }

    /// Removes the witness that ``attach(_:after:)`` added.
    package func detachWitness() { core.witnesses.leave() }
}
