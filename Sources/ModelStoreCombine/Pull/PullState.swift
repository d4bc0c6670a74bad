#if OpenCombine
@unsafe @preconcurrency import OpenCombine

/// How much a subscriber wants, and whether somebody is getting it: a state machine without a lock or a task.
///
/// Sendable, as Combine lets subscribers be called on any thread, by one at a time.
struct PullState<Downstream: Subscriber>: @unchecked Sendable {
    private enum Phase {
        case resting, pulling, over
    }

    /// What the pulling task does next.
    enum Next {
        /// Get another value.
        case pull
        /// End: another task begins once there is demand.
        case rest
        /// End for good.
        case end
    }

    private var phase = Phase.resting
    private var demand = Subscribers.Demand.none
    private var downstream: Downstream?
    private var task: Task<Void, Never>?
    private var lastRun: UInt64 = 0

    init(_ downstream: Downstream) { self.downstream = downstream }

    /// Notes demand.
    ///
    /// - Returns: the number of a task that has to begin; nil when none has to.
    mutating func request(_ more: Subscribers.Demand) -> UInt64? {
        guard phase != .over else { return nil }
        demand += more
        guard phase == .resting, demand > .none else { return nil }
        phase = .pulling
        lastRun += 1
        return lastRun
    }

    /// Keeps the task of a number, to cancel it.
    ///
    /// - Returns: whether it may go on.
    mutating func keep(_ task: Task<Void, Never>, _ run: UInt64) -> Bool {
        if phase == .pulling, run == lastRun { self.task = task }
        return phase != .over
    }

    mutating func next() -> Next {
        if phase == .over { return .end }
        if demand > .none { return .pull }
        phase = .resting
        task = nil
        return .rest
    }

    /// Takes from the demand for a value.
    ///
    /// - Returns: who gets it; nil when nobody does.
    mutating func take() -> Downstream? {
        if phase != .over { demand -= 1 }
        return downstream
    }

    /// Notes what a subscriber wants besides after it got a value.
    mutating func add(_ more: Subscribers.Demand) { demand += more }

    /// Ends the subscription.
    ///
    /// - Returns: who was subscribed, what there is to cancel, and whether nobody is pulling; nil when it was over.
    mutating func end() -> (downstream: Downstream?, task: Task<Void, Never>?, isResting: Bool)? {
        guard phase != .over else { return nil }
        defer { (phase, downstream, task) = (.over, nil, nil) }
        return (downstream, task, phase == .resting)
    }
}
#endif
