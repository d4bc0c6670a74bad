/// A subscription that the witness knows, without its deliveries. It belongs to one task at a time.
final class UnrecordedSubscription {
    private let witnesses: WitnessStand
    private let interest: WitnessedInterest
    private var witnessed: WitnessedSubscription?

    init(_ witnesses: WitnessStand, _ typeName: String, because reason: String) {
        self.witnesses = witnesses
        interest = .unrecorded(typeName: typeName, reason: reason)
        report()
    }

    deinit {
        guard let witnessed else { return }
        witnesses.withState { $0.unsubscribed(witnessed) }
    }

    /// Reports the subscription, if the witness came later.
    func report() { witnessed = witnesses.withState { $0.subscribed(witnessed, to: interest) } }
}
