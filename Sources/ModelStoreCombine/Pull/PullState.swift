#if OpenCombine
@unsafe @preconcurrency import OpenCombine

/// The demand of a subscriber, and whether a task is serving it: a state machine without a lock or a task.
///
/// Sendable, because Combine allows calls of a subscriber on any thread, one call at a time.
struct PullState<Downstream: Subscriber>: @unchecked Sendable {
    private enum Phase {
        case resting, pulling, over
    }

    /// The next step of the pulling task.
    enum Next {
        /// Get another value.
        case pull
        /// End now. Another task begins when there is demand.
        case rest
        /// End permanently.
        case end
    }

    private var phase = Phase.resting
    private var demand = Subscribers.Demand.none
    private var downstream: Downstream?
    private var task: Task<Void, Never>?
    private var lastRun: UInt64 = 0

    init(_ downstream: Downstream) { self.downstream = downstream }

    /// Adds demand.
    ///
    /// - Returns: the number of the task that has to begin; nil if none has to.
    mutating func request(_ more: Subscribers.Demand) -> UInt64? {
        guard phase != .over else { return nil }
        demand += more
        guard phase == .resting, demand > .none else { return nil }
        phase = .pulling
        lastRun += 1
        return lastRun
    }

    /// Keeps the task with this number, so that it can be cancelled.
    ///
    /// - Returns: whether the task may continue.
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

    /// Takes one value from the demand.
    ///
    /// - Returns: the subscriber to deliver the value to; nil after the end.
    mutating func take() -> Downstream? {
        if phase != .over { demand -= 1 }
        return downstream
    }

    /// Adds the demand that a subscriber returned for a value.
    mutating func add(_ more: Subscribers.Demand) { demand += more }

    /// Ends the subscription.
    ///
    /// - Returns: the subscriber, the task to cancel, and whether no task is pulling; nil if the subscription had already ended.
    mutating func end() -> (downstream: Downstream?, task: Task<Void, Never>?, isResting: Bool)? {
        guard phase != .over else { return nil }
        defer { (phase, downstream, task) = (.over, nil, nil) }
        return (downstream, task, phase == .resting)
    }
}
#endif
