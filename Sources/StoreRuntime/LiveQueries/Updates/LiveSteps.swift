package import StoreEngine

/// A source of live results: a live result itself, or a query, whose request can be replaced.
protocol LiveSubscribable: AnyObject, Sendable {
    /// Raises a signal whenever new rows are published.
    func subscribe(_ signal: Signal) -> LiveSubscription
    /// Returns the subscription to the result of the current request.
    func refresh(_ subscription: LiveSubscription, _ signal: Signal) -> LiveSubscription
    /// Ends the subscription that ``subscribe(_:)`` began.
    func unsubscribe(_ subscription: LiveSubscription, _ signal: Signal)
}

/// A subscription to one live result.
struct LiveSubscription {
    let use: LiveUse
    let id: UInt64
}

/// One subscription to a live result. It delivers the current result, and then each new one; if the subscriber is slow, it merges
/// them. It belongs to one task at a time.
package final class LiveSteps {
    private let source: any LiveSubscribable
    private let signal: Signal
    private var subscription: LiveSubscription
    /// The result that the subscriber received last. A later result without a difference to deliver does not replace it, because
    /// the subscriber has not received that one.
    private var last: LiveVersion?
    private var hasBegun = false
    /// Whether the subscription has waited for the first state of the result to be published.
    private var isSettled = false
    /// Whether the result had failed or its store was closed when the current step was taken, so that no other step follows.
    private var isAtEnd = false
    /// Whether the subscriber could not receive the step at the end. It is not delivered again.
    private var isOver = false
    /// The position that the subscriber has seen elsewhere. The subscription delivers nothing older.
    private var seenSequence: UInt64 = 0
    /// The subscription as the witness of the store knows it.
    private var witnessed: WitnessedSubscription?
    /// Leaves out of a step what the subscriber cannot see. The witness receives the whole step, because a replay of it has no
    /// Swift types.
    private let narrow: (LiveStep) -> LiveStep

    init(
        _ source: any LiveSubscribable, _ signal: Signal = Signal(), narrow: @escaping (LiveStep) -> LiveStep = { $0 }
    ) {
        self.source = source
        self.signal = signal
        self.narrow = narrow
        // Subscribes before the first look at the result, so that no change is lost between the two.
        let subscription = source.subscribe(signal)
        self.subscription = subscription
        witnessed = subscription.use.witnesses.withState { $0.subscribed(nil, to: .query(subscription.use.result.key)) }
    }

    /// Continues from the results that the subscriber had before.
    ///
    /// - Parameters:
    ///   - old: those results; nil if they are not known any more.
    ///   - sequence: their position, which this process has applied but may not have published yet.
    func resume(from old: LiveVersion?, at sequence: UInt64) {
        last = old
        seenSequence = sequence
    }

    /// Starts over, because the subscriber could not receive the last step. After the end, there is nothing to start over from.
    func forget() {
        last = nil
        isOver = isAtEnd
    }

    /// Whether the first step continues from the results that the subscriber had before.
    package var isResumed: Bool { last != nil }

    deinit {
        source.unsubscribe(subscription, signal)
        guard let witnessed else { return }
        subscription.use.witnesses.withState { $0.unsubscribed(witnessed) }
    }

    /// Waits for the next step with a difference, and returns it. The first step is returned in any case.
    ///
    /// - Parameter isInterrupted: called whenever the signal was raised and there is no difference.
    /// - Returns: nil when the task is cancelled, or `isInterrupted` returns true.
    package func next(isInterrupted: () -> Bool = { false }) async throws -> LiveStep? {
        if Task.isCancelled { return nil }
        if !hasBegun {
            await settle()
            if let failure, failure.code == .closed { throw failure }
            hasBegun = true
            return firstStep()
        }
        while true {
            let wake = await signal.wait()
            if wake == .cancelled { return nil }
            await settle()
            if let step = differentStep() { return step }
            if wake == .ended { try requireUnended() }
            if isInterrupted() { return nil }
        }
    }

    /// Throws if the result of the current request has ended. The signal may also have ended with the result of a replaced
    /// request.
    private func requireUnended() throws(StoreError) {
        // Read the failure only afterwards: a result stores its failure before it ends the signal.
        signal.reopen()
        guard let failure else { return }
        signal.end()
        throw failure
    }

    /// Returns the step to the current state without waiting for a new one; nil if it has no difference. The first step may be
    /// ahead of the published position.
    package func poll() -> LiveStep? {
        let isFirst = !hasBegun
        hasBegun = true
        refresh()
        return isFirst ? firstStep() : differentStep()
    }

    /// Returns the step to the current state; nil if it has no difference, or the subscriber could not receive it at the end.
    private func differentStep() -> LiveStep? {
        if isOver { return nil }
        let step = stepToPublished()
        return step.isDifferent ? step : nil
    }

    /// Returns the step to the current state, which is delivered in any case.
    private func firstStep() -> LiveStep {
        let step = stepToPublished()
        last = step.new
        return step
    }

    /// Delivers the current state without waiting for a new one, and returns it. The first state may be ahead of the published
    /// position.
    func take() -> LiveVersion {
        hasBegun = true
        refresh()
        return stepToPublished().new
    }

    /// Returns the step to the current state. No position is published between reading that state and reporting the step to the
    /// witness.
    private func stepToPublished() -> LiveStep {
        // Read before the state, because a store that closes publishes its last state first.
        isAtEnd = failure != nil
        return subscription.use.witnesses.withState { state in given(subscription.use.result.publishedVersion, &state) }
    }

    /// Follows the current request, and waits until its result is published. A new result is at the newest applied position,
    /// which may not be published yet.
    func settle() async {
        refresh()
        guard !isSettled else { return }
        isSettled = true
        await subscription.use.waitUntilPublished(seenSequence)
    }

    /// Follows the current request, which may have replaced an earlier one.
    private func refresh() {
        let new = source.refresh(subscription, signal)
        guard new.use !== subscription.use else { return }
        subscription = new
        isSettled = false
        isOver = false
        guard let old = witnessed else { return }
        // The witness sees the new result as another subscription.
        witnessed = new.use.witnesses.withState { state in
            state.unsubscribed(old)
            return state.subscribed(nil, to: .query(new.use.result.key))
        }
    }

    /// Returns the state at a position; nil if it is not known any more.
    func version(at sequence: UInt64) -> LiveVersion? { subscription.use.result.version(at: sequence) }

    /// Returns the fingerprint of the request of a step that was just delivered. A subscriber that resumes elsewhere uses it to
    /// detect another request.
    package func fingerprint(_ step: LiveStep) -> UInt64 {
        subscription.use.result.key.request.resultFingerprint(step.new.type, in: step.new.catalog)
    }

    /// Returns the newest published position, if the subscriber has nothing to receive since the last step. Returns nil
    /// otherwise, and while an applied step is not published yet.
    package func quietPosition() -> Position? {
        guard let last, let position = subscription.use.publishedPosition else { return nil }
        let version = subscription.use.result.publishedVersion
        // A result that was published meanwhile is at a later position.
        let isOld = version.position.sequence <= position.sequence
        return isOld && !LiveStep(from: last, to: version).isDifferent ? position : nil
    }

    /// Why no more steps come; nil while they do.
    var failure: StoreError? { subscription.use.result.failure }

    /// Delivers a version, and returns the step to it from the last delivered result.
    ///
    /// - Parameter state: the state of the witness. The witness receives the step, and before that the subscription if it does
    ///   not know it yet.
    func given(_ version: LiveVersion, _ state: inout WitnessStand.State) -> LiveStep {
        let isFirst = last == nil
        let whole = LiveStep(from: last, to: version)
        let step = narrow(whole)
        guard isFirst || step.isDifferent else { return step }
        last = version
        if let witness = state.witness {
            witnessed = state.subscribed(witnessed, to: .query(subscription.use.result.key))
            if let witnessed { witness.delivered(witnessed.number, whole) }
        }
        return step
    }
}
