import StoreEngine

/// The waits for a step to be published, and the work of the step thread: a state machine without a lock or a thread.
struct StepState {
    enum Phase {
        case idle, running, stopped
    }

    /// The next action of the thread.
    enum Next {
        /// Look for change sets, and publish the applied steps.
        case step
        case rest
        case stop
    }

    typealias Completion = @Sendable () -> Void

    private(set) var phase = Phase.idle
    private var isDue = false
    private var isStepping = false
    private var publishedSequence: UInt64 = 0
    private var waiters: [(sequence: UInt64, completion: Completion)] = []

    /// Begins to run.
    ///
    /// - Returns: whether it was idle before.
    mutating func start() -> Bool {
        guard phase == .idle else { return false }
        phase = .running
        return true
    }

    /// Returns to idle after a failed start.
    mutating func unstart() { if phase == .running { phase = .idle } }

    /// Notes that there is work.
    ///
    /// - Returns: whether the thread must be woken.
    mutating func ask() -> Bool {
        guard phase == .running else { return false }
        defer { isDue = true }
        return !isDue
    }

    /// Calls `completion` once a position is published.
    ///
    /// - Returns: whether the position is already published or never will be. The caller must then call `completion` itself.
    mutating func wait(for sequence: UInt64, _ completion: @escaping Completion) -> Bool {
        guard phase == .running, sequence > publishedSequence else { return true }
        waiters.append((sequence, completion))
        return false
    }

    /// Begins a step on a thread that asks for one, if a step is due and no other such thread makes one. Returns whether it
    /// began.
    mutating func claim() -> Bool {
        guard phase == .running, isDue, !isStepping else { return false }
        isDue = false
        isStepping = true
        return true
    }

    /// Ends what ``claim()`` began.
    mutating func relinquish() { isStepping = false }

    mutating func next() -> Next {
        if phase == .stopped { return .stop }
        defer { isDue = false }
        return isDue ? .step : .rest
    }

    /// Notes that a position is published.
    ///
    /// - Returns: the completions that waited for it.
    mutating func show(_ sequence: UInt64) -> [Completion] {
        publishedSequence = sequence
        let ready = waiters.filter { $0.sequence <= sequence }.map(\.completion)
        if !ready.isEmpty { waiters.removeAll { $0.sequence <= sequence } }
        return ready
    }

    /// Ends all waits, because their positions cannot be published.
    ///
    /// - Returns: their completions.
    mutating func release() -> [Completion] {
        defer { waiters = [] }
        return waiters.map(\.completion)
    }

    /// Stops.
    ///
    /// - Returns: whether it was running.
    mutating func stop() -> Bool {
        defer { phase = .stopped }
        return phase == .running
    }
}
