package import StoreEngine

/// What can be subscribed to: a live result, or one that may be exchanged for that of another request.
protocol LiveSubscribable: AnyObject, Sendable {
    /// Has a signal raised whenever other rows are shown.
    func subscribe(_ signal: Signal) -> LiveSubscription
    /// The subscription to what is asked for now.
    func refresh(_ subscription: LiveSubscription, _ signal: Signal) -> LiveSubscription
    /// Ends what ``subscribe(_:)`` began.
    func unsubscribe(_ subscription: LiveSubscription, _ signal: Signal)
}

/// What a subscriber is subscribed to.
struct LiveSubscription {
    let use: LiveUse
    let id: UInt64
}

/// One subscription to a live result: gives what it shows, then whatever else it comes to show, merged where that was slow to
/// be taken. It belongs to one task at a time.
package final class LiveSteps {
    private let source: any LiveSubscribable
    private let signal: Signal
    private var subscription: LiveSubscription
    /// What the subscriber was given last. What differs from it in nothing that is told does not take its place: the subscriber has
    /// not got that.
    private var last: LiveShown?
    private var hasBegun = false
    /// Whether what the result was at first is shown.
    private var isSettled = false
    /// The position that the subscriber has seen elsewhere: nothing from before it is given.
    private var seenSequence: UInt64 = 0
    /// What the witness of the store was told of this subscription.
    private var witnessed: WitnessedSubscription?

    init(_ source: any LiveSubscribable, _ signal: Signal = Signal()) {
        self.source = source
        self.signal = signal
        // Before anything is looked at, so that nothing is lost between the two.
        let subscription = source.subscribe(signal)
        self.subscription = subscription
        witnessed = subscription.use.witnesses.withState { $0.subscribed(nil, to: .query(subscription.use.result.key)) }
    }

    /// Goes on from what the subscriber had before.
    ///
    /// - Parameters:
    ///   - old: the results that it had; nil where they are not known any more.
    ///   - sequence: the position at which it had them, which this process has applied but need not show yet.
    func resume(from old: LiveShown?, at sequence: UInt64) {
        last = old
        seenSequence = sequence
    }

    /// Begins anew: the subscriber could not be given the last step.
    func forget() { last = nil }

    /// Before the first step: whether it goes on from what the subscriber had.
    package var isResumed: Bool { last != nil }

    deinit {
        source.unsubscribe(subscription, signal)
        guard let witnessed else { return }
        subscription.use.witnesses.withState { $0.unsubscribed(witnessed) }
    }

    /// The next step that leads anywhere, the first one in any case.
    ///
    /// - Parameter isInterrupted: asked whenever the signal was raised for nothing.
    /// - Returns: nil when the task is cancelled, or the wait was interrupted.
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
            let step = stepToShown()
            if step.isDifferent { return step }
            if wake == .ended { try requireUnended() }
            if isInterrupted() { return nil }
        }
    }

    /// Fails when what is subscribed to now has ended; what has is else the result of a request that is not asked for any more.
    private func requireUnended() throws(StoreError) {
        // Looked at afterwards, as whatever ends notes why before it tells.
        signal.reopen()
        guard let failure else { return }
        signal.end()
        throw failure
    }

    /// The step to what is shown now if it leads anywhere, without waiting for one. The first may be ahead of what is shown.
    package func poll() -> LiveStep? {
        let isFirst = !hasBegun
        hasBegun = true
        refresh()
        if isFirst { return firstStep() }
        let step = stepToShown()
        return step.isDifferent ? step : nil
    }

    /// The step to what is shown now, which is given in any case.
    private func firstStep() -> LiveStep {
        let step = stepToShown()
        last = step.new
        return step
    }

    /// What is shown now, without waiting for anything else, which is given by that. The first may be ahead of what is shown.
    func take() -> LiveShown {
        hasBegun = true
        refresh()
        return stepToShown().new
    }

    /// The step to what is shown now, with nothing else being shown between the look and what the witness is told.
    private func stepToShown() -> LiveStep {
        subscription.use.witnesses.withState { state in given(subscription.use.result.visible, &state) }
    }

    /// Turns to what is asked for now, and waits until that is shown: a new result is of the newest position, which models
    /// need not have come to.
    func settle() async {
        refresh()
        guard !isSettled else { return }
        isSettled = true
        await subscription.use.untilShown(seenSequence)
    }

    /// Turns to what is asked for now: a query may have been given another request.
    private func refresh() {
        let new = source.refresh(subscription, signal)
        guard new.use !== subscription.use else { return }
        subscription = new
        isSettled = false
        guard let old = witnessed else { return }
        // To the witness, another subscription.
        witnessed = new.use.witnesses.withState { state in
            state.unsubscribed(old)
            return state.subscribed(nil, to: .query(new.use.result.key))
        }
    }

    /// What is shown at a position; nil where that is not known any more.
    func shown(at sequence: UInt64) -> LiveShown? { subscription.use.result.shown(at: sequence) }

    /// Tells the request that a step just given belongs to from others, for a subscriber who goes on elsewhere.
    package func fingerprint(_ step: LiveStep) -> UInt64 {
        subscription.use.result.key.request.resultFingerprint(step.new.type, in: step.new.catalog)
    }

    /// The newest position that is shown, where there is nothing to tell of what came since the last step; nil where there is, or a step is
    /// being made.
    package func quietPosition() -> Position? {
        guard let last, let position = subscription.use.shownPosition else { return nil }
        let shown = subscription.use.result.visible
        // What is shown since is of a later position.
        let isOld = shown.position.sequence <= position.sequence
        return isOld && !LiveStep(from: last, to: shown).isDifferent ? position : nil
    }

    /// Why there are no steps any more; nil while there are.
    var failure: StoreError? { subscription.use.result.failure }

    /// What leads from what was given last to `shown`, which is given by that.
    ///
    /// - Parameter state: the witness, who is told: also of the subscription, where that is older than he.
    func given(_ shown: LiveShown, _ state: inout WitnessStand.State) -> LiveStep {
        let isFirst = last == nil
        let step = LiveStep(from: last, to: shown)
        guard isFirst || step.isDifferent else { return step }
        last = shown
        if let witness = state.witness {
            witnessed = state.subscribed(witnessed, to: .query(subscription.use.result.key))
            if let witnessed { witness.delivered(witnessed.number, step) }
        }
        return step
    }
}
