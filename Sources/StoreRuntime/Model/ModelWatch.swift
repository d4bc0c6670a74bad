import StoreEngine

/// One subscription to a model: gives the version that is shown, then each later one that differs in some fields.
///
/// It keeps the model alive, and ends with its last reference. It belongs to one task at a time.
final class ModelWatch<R: Record> {
    private let model: Model<R>
    let versions: VersionWatch
    private let pin: PinID

    /// - Parameter line: where the subscription is asked for.
    init(_ model: Model<R>, fields: PlaceSet, line: (file: StaticString, line: UInt)) {
        self.model = model
        versions = VersionWatch(model.state, fields: fields, ModelTelling(model))
        pin = model.core.ownership.pin(model, .borrower, by: Scope.currentHolder, line.file, line.line)
    }

    deinit {
        versions.end()
        model.core.ownership.unpin(pin)
    }
}

/// What a subscription to a model waits for, whatever its record's type is. It belongs to one task at a time.
final class VersionWatch {
    struct Step {
        /// The version that was given before.
        let old: AnyModelVersion?
        let new: AnyModelVersion
        /// The declared fields that differ, of those that are watched and others.
        let changed: PlaceSet
    }

    private let state: ModelState
    private let fields: PlaceSet
    private let telling: ModelTelling
    private let signal = Signal()
    private var subscription: UInt64?
    private var last: AnyModelVersion?
    private var cancelledEnd = CancelledEnd()

    init(_ state: ModelState, fields: PlaceSet, _ telling: ModelTelling) {
        self.state = state
        self.fields = fields
        self.telling = telling
        telling.begin(state)
    }

    func end() {
        telling.end()
        if let subscription { state.unsubscribe(subscription) }
    }

    /// The next version; nil at the end, and when the task is cancelled.
    func next() async -> Step? {
        if cancelledEnd.hasCome { return nil }
        guard let old = last else {
            await telling.settle(state)
            if state.hasEnded { return nil }
            // Before looking, so that nothing is lost between the two.
            subscription = state.subscribe(signal, to: fields)
            return telling.given {
                let first = state.visible
                last = first
                return Step(old: nil, new: first, changed: PlaceSet())
            }
        }
        if old.isDeleted { return nil }
        while true {
            guard await signal.wait() == .raised else { return nil }
            if let step = telling.given({ step(from: old) }) { return step }
        }
    }

    /// The step to what is shown now; nil where that is of no interest.
    private func step(from old: AnyModelVersion) -> Step? {
        let new = state.visible
        guard let before = last, new.sequence != before.sequence else { return nil }
        last = new
        let changed = new.changedPlaces(since: old)
        return new.isDeleted || changed.intersects(fields) ? Step(old: old, new: new, changed: changed) : nil
    }
}
