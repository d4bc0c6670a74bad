import StoreEngine

/// One subscription to a model: gives the version that is shown, then each later one that differs in some fields.
///
/// It keeps the model alive, and ends with its last reference. It belongs to one task at a time.
final class ModelWatch<R: Record> {
    struct Step {
        /// The version that was given before.
        let old: ModelVersion<R>?
        let new: ModelVersion<R>
        /// What differs, of the fields that are watched and others.
        let changed: ChangedFields<R>
    }

    private let model: Model<R>
    private let fields: PlaceSet
    private let signal = Signal()
    private var subscription: UInt64?
    private var last: ModelVersion<R>?
    private let pin: PinID

    /// - Parameter line: where the subscription is asked for.
    init(_ model: Model<R>, fields: PlaceSet, line: (file: StaticString, line: UInt)) {
        self.model = model
        self.fields = fields
        pin = model.core.ownership.pin(model, .borrower, by: Scope.currentHolder, line.file, line.line)
    }

    deinit {
        model.core.ownership.unpin(pin)
        if let subscription { model.unsubscribe(subscription) }
    }

    /// The next version; nil at the end, and when the task is cancelled.
    func next() async -> Step? {
        if Task.isCancelled { return nil }
        guard let old = last else {
            // Before looking, so that nothing is lost between the two.
            subscription = model.subscribe(signal, to: fields)
            let first = model.visible
            last = first
            return Step(old: nil, new: first, changed: ChangedFields())
        }
        if old.isDeleted { return nil }
        var changed = ChangedFields<R>()
        while true {
            guard await signal.wait() == .raised else { return nil }
            let new = model.visible
            guard let before = last, new.sequence != before.sequence else { continue }
            changed = new.changedFields(since: old)
            last = new
            if new.isDeleted || changed.intersects(declared: fields) {
                return Step(old: old, new: new, changed: changed)
            }
        }
    }
}
