import StoreEngine

/// One subscription to a model. It delivers the published version, and then each later version that differs in some fields.
///
/// It keeps the model alive, and ends with its last reference. It belongs to one task at a time.
final class ModelWatch<R: Record> {
    private let model: Model<R>
    let versions: VersionWatch
    private let pin: PinID

    /// - Parameter line: the line that subscribed.
    init(_ model: Model<R>, fields: FieldIndexSet, line: (file: StaticString, line: UInt)) {
        self.model = model
        versions = VersionWatch(model.state, fields: fields, ModelWitnessing(model))
        pin = model.core.ownership.pin(model, .borrower, by: Scope.currentHolder, line.file, line.line)
    }

    deinit {
        versions.end()
        model.core.ownership.unpin(pin)
    }
}

/// A subscription to a model without the record's type. It belongs to one task at a time.
final class VersionWatch {
    struct Step {
        /// The version that was delivered before.
        let old: AnyModelVersion?
        let new: AnyModelVersion
        /// The declared fields that differ, watched or not.
        let changed: FieldIndexSet
    }

    private let state: ModelState
    private let fields: FieldIndexSet
    private let witnessing: ModelWitnessing
    private let signal = Signal()
    /// Whether the model had ended before the subscription began.
    private let isLate: Bool
    private var subscription: UInt64?
    /// The position of the newest version that was examined.
    private var seen: UInt64 = 0
    /// The version that was delivered last.
    private(set) var last: AnyModelVersion?
    private var cancelledEnd = CancelledEnd()

    init(_ state: ModelState, fields: FieldIndexSet, _ witnessing: ModelWitnessing) {
        self.state = state
        self.fields = fields
        self.witnessing = witnessing
        isLate = state.hasEnded
        witnessing.begin(state)
    }

    func end() {
        witnessing.end()
        if let subscription { state.unsubscribe(subscription) }
    }

    /// Waits for the next step, and returns it; nil at the end, and when the task is cancelled.
    func next() async -> Step? {
        let old = last
        guard await advance(), let new = last else { return nil }
        return Step(old: old, new: new, changed: old.map { new.changedFieldIndexes(since: $0) } ?? FieldIndexSet())
    }

    /// Waits for the next version, and stores it in ``last``.
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

    /// Takes the first version once it is published.
    private func begin() async -> Bool {
        // A task keeps the memory of its deepest call, and for a waiting task that would be `settle`. So it is called only if
        // needed.
        if !witnessing.isSettled(state) { await witnessing.settle(state) }
        return takeFirst()
    }

    @inline(never)
    private func takeFirst() -> Bool {
        if isLate { return false }
        // Subscribes before the look, so that no change is lost between the two.
        subscription = state.subscribe(signal, to: fields)
        last = witnessing.given { Step(old: nil, new: state.publishedVersion, changed: FieldIndexSet()) }?.new
        seen = last?.sequence ?? 0
        return last != nil
    }

    /// Examines the newest version. Inlining it would enlarge the frame that a waiting task holds.
    ///
    /// - Returns: whether to deliver that version.
    @inline(never)
    private func look() -> Bool {
        guard let old = last, let next = witnessing.given({ step(from: old) }) else { return false }
        last = next.new
        return true
    }

    /// Returns the step to the published version; nil if the watched fields are the same.
    private func step(from old: AnyModelVersion) -> Step? {
        let new = state.publishedVersion
        guard new.sequence != seen else { return nil }
        seen = new.sequence
        let changed = new.changedFieldIndexes(since: old)
        return new.isDeleted || changed.intersects(fields) ? Step(old: old, new: new, changed: changed) : nil
    }
}
