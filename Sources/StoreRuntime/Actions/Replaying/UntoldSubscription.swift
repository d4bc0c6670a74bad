/// A subscription of which a witness knows that it is there, and not what it gives. It belongs to one task at a time.
final class UntoldSubscription {
    private let witnesses: WitnessStand
    private let interest: WitnessedInterest
    private var witnessed: WitnessedSubscription?

    init(_ witnesses: WitnessStand, _ typeName: String, because reason: String) {
        self.witnesses = witnesses
        interest = .untold(typeName: typeName, reason: reason)
        tell()
    }

    deinit {
        guard let witnessed else { return }
        witnesses.withState { $0.unsubscribed(witnessed) }
    }

    /// Tells the witness, where that came later than the subscription.
    func tell() { witnessed = witnesses.withState { $0.subscribed(witnessed, to: interest) } }
}
