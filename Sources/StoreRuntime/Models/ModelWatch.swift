import StoreEngine

/// One subscription to a model: gives the version that is shown, then each later one that differs in some fields.
///
/// It keeps the model alive, and ends with its last reference. It belongs to one task at a time.
final class ModelWatch<R: Record> {
    private let model: Model<R>
    let versions: VersionWatch
    private let pin: PinID

    /// - Parameter line: where the subscription is asked for.
    init(_ model: Model<R>, fields: FieldIndexSet, line: (file: StaticString, line: UInt)) {
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
        let changed: FieldIndexSet
    }

    private let state: ModelState
    private let fields: FieldIndexSet
    private let telling: ModelTelling
    private let signal = Signal()
    private var subscription: UInt64?
    /// The newest version that was looked at.
    private var seen: UInt64 = 0
    /// The version that was given last.
    private(set) var last: AnyModelVersion?
    private var cancelledEnd = CancelledEnd()

    init(_ state: ModelState, fields: FieldIndexSet, _ telling: ModelTelling) {
        self.state = state
        self.fields = fields
        self.telling = telling
        telling.begin(state)
    }

    func end() {
        telling.end()
        if let subscription { state.unsubscribe(subscription) }
    }

    /// The next step; nil at the end, and when the task is cancelled.
    func next() async -> Step? {
        let old = last
        guard await advance(), let new = last else { return nil }
        return Step(old: old, new: new, changed: old.map { new.changedFieldIndexes(since: $0) } ?? FieldIndexSet())
    }

    /// Waits for the next version, which is ``last`` then.
    ///
    /// - Returns: whether there is one; false at the end, and when the task is cancelled.
    func advance() async -> Bool {
        if cancelledEnd.hasCome { return false }
        guard let last else { return await begin() }
        if last.isDeleted { return false }
        repeat {
            guard await signal.wait() == .raised else { return false }
        } while !look()
        return true
    }

    /// Takes the first version, once that is shown.
    private func begin() async -> Bool {
        // A task keeps the memory of its deepest call, which this is where it waits.
        if !telling.isSettled(state) { await telling.settle(state) }
        return takeFirst()
    }

    @inline(never)
    private func takeFirst() -> Bool {
        if state.hasEnded { return false }
        // Before looking, so that nothing is lost between the two.
        subscription = state.subscribe(signal, to: fields)
        last = telling.given { Step(old: nil, new: state.visible, changed: FieldIndexSet()) }?.new
        seen = last?.sequence ?? 0
        return last != nil
    }

    /// Looks at the newest version. Inlined, it would enlarge the frame that a waiting task holds.
    ///
    /// - Returns: whether that is of interest.
    @inline(never)
    private func look() -> Bool {
        guard let old = last, let next = telling.given({ step(from: old) }) else { return false }
        last = next.new
        return true
    }

    /// The step to the shown version; nil where the watched fields are the same.
    private func step(from old: AnyModelVersion) -> Step? {
        let new = state.visible
        guard new.sequence != seen else { return nil }
        seen = new.sequence
        let changed = new.changedFieldIndexes(since: old)
        return new.isDeleted || changed.intersects(fields) ? Step(old: old, new: new, changed: changed) : nil
    }
}
