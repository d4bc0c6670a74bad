import LMDB
import StoreEngine

/// One subscription to a model. It delivers the published version, and then each later version that differs in some fields.
///
/// It keeps the model alive, and ends with its last reference. It belongs to one task at a time.
final class ModelWatch<R: Record> {
    private let model: Model<R>
    let versions: VersionWatch
    private let pin: PinID

    /// - Parameters:
    ///   - line: the line that subscribed.
    ///   - signal: raised when there may be a later version.
    init(
        _ model: Model<R>, fields: FieldIndexSet, line: (file: StaticString, line: UInt), signal: Signal = Signal()
    ) {
        self.model = model
        versions = VersionWatch(model.state, fields: fields, ModelWitnessing(model), signal)
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
    private let signal: Signal
    /// Whether the model had ended before the subscription began.
    private let isLate: Bool
    private var subscription: UInt64?
    /// The position of the newest version that was examined.
    private var seen: UInt64 = 0
    /// The version that was delivered last.
    private(set) var last: AnyModelVersion?
    private var cancelledEnd = CancelledEnd()

    init(_ state: ModelState, fields: FieldIndexSet, _ witnessing: ModelWitnessing, _ signal: Signal) {
        self.state = state
        self.fields = fields
        self.witnessing = witnessing
        self.signal = signal
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
        return await advance() ? step(since: old) : nil
    }

    private func step(since old: AnyModelVersion?) -> Step? {
        last.map { new in
            Step(old: old, new: new, changed: old.map { new.changedFieldIndexes(since: $0) } ?? FieldIndexSet())
        }
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

    // MARK: Without a task

    /// The outcome of ``takeNow()``.
    enum Taken {
        case step(Step), nothing, end
    }

    /// Returns the next step if it is published. The first version must be settled.
    func takeNow() -> Taken {
        let old = last
        guard let old else {
            guard takeFirst(), let step = step(since: nil) else { return .end }
            return .step(step)
        }
        if old.isDeleted { return .end }
        while true {
            switch signal.take() {
            case .raised:
                if look(), let step = step(since: old) { return .step(step) }
            case .ended, .cancelled: return .end
            case nil: return .nothing
            }
        }
    }

    /// Whether the subscription has begun, and ``takeNow()`` will return no more steps.
    var isOver: Bool { last.map { $0.isDeleted || signal.isOver } ?? false }

    /// Whether the first version is published.
    var isSettled: Bool { last != nil || witnessing.isSettled(state) }

    /// Calls a closure once the first version is published.
    func afterSettling(_ body: @escaping @Sendable () -> Void) { witnessing.afterSettling(state, body) }

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

/// Passes every published version of a model to an observer, as values, on the thread that makes steps.
///
/// It has no list of its own: each step waits until its version was passed on, so no step is skipped while the observer is ready.
///
/// Life: subscribes to the model when the observer is ready for the first time. From then on, the model keeps the relay, until it
/// is cancelled, the record is deleted or the store is closed.
/// - `state` is protected by its mutex, which is held while a version is passed on.
final class ModelRelay<R: Record, Element>: ValueSupply {
    /// Both parts keep the model alive. Sendable, because only code that holds the mutex uses them.
    private struct Subscription: @unchecked Sendable {
        let watch: ModelWatch<R>
        /// Returns the value of a step; nil if it is the same as the one before.
        let value: (VersionWatch.Step) -> Element?
    }

    private let observer: any ValueObserver<Element>
    /// Nil after the end.
    private let state = HandoverMutex<Subscription?>(nil)

    init(
        _ model: Model<R>, fields: FieldIndexSet, line: (file: StaticString, line: UInt),
        _ observer: any ValueObserver<Element>, value: sending @escaping (VersionWatch.Step) -> Element?
    ) {
        self.observer = observer
        let watch = ModelWatch(model, fields: fields, line: line, signal: Signal { [self] in passOn() })
        let subscription = Subscription(watch: watch, value: value)
        state.withLock { $0 = subscription }
    }

    package func resume() {
        let (subscription, isSettled) = state.withLock { ($0, $0?.watch.versions.isSettled ?? true) }
        if isSettled { return passOn() }
        subscription?.watch.versions.afterSettling { [self] in passOn() }
    }

    package func cancel() { _ = end() }

    private func passOn() {
        let isOver = state.withLock { subscription in
            guard let subscription else { return false }
            let versions = subscription.watch.versions
            while observer.isReady {
                switch versions.takeNow() {
                case .step(let step):
                    if let value = subscription.value(step) { observer.keep(value) }
                case .nothing: return false
                case .end: return true
                }
            }
            return versions.isOver
        }
        observer.deliver()
        if isOver, end() != nil { observer.ended() }
    }

    /// Ends the subscription. It is released outside the lock, because it may be the last to hold the model.
    private func end() -> Subscription? {
        state.withLock { subscription in
            defer { subscription = nil }
            return subscription
        }
    }
}
