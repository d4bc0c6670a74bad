import StoreEngine

/// Who waits for a step to be published, and what the step thread has to do: a state machine without a lock or a thread.
struct StepState {
    enum Phase {
        case idle, running, stopped
    }

    /// What the thread does next.
    enum Next {
        /// Look for change sets, and publish what was applied.
        case step
        case rest
        case stop
    }

    typealias Completion = @Sendable () -> Void

    private(set) var phase = Phase.idle
    private var isDue = false
    private var isStepping = false
    private var shownSequence: UInt64 = 0
    private var waiters: [(sequence: UInt64, completion: Completion)] = []

    /// Begins to run.
    ///
    /// - Returns: whether it did not before.
    mutating func start() -> Bool {
        guard phase == .idle else { return false }
        phase = .running
        return true
    }

    /// Begins to run after a failed start.
    mutating func unstart() { if phase == .running { phase = .idle } }

    /// Notes that there is something to do.
    ///
    /// - Returns: whether the thread must be woken.
    mutating func ask() -> Bool {
        guard phase == .running else { return false }
        defer { isDue = true }
        return !isDue
    }

    /// Has something done once a position is shown.
    ///
    /// - Returns: whether it is, or never will be, so that it is to be done now.
    mutating func wait(for sequence: UInt64, _ completion: @escaping Completion) -> Bool {
        guard phase == .running, sequence > shownSequence else { return true }
        waiters.append((sequence, completion))
        return false
    }

    /// Begins a step on a thread that asks for one, if one is due and no other such thread makes one.
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

    /// Notes that a position is shown.
    ///
    /// - Returns: what waited for it.
    mutating func show(_ sequence: UInt64) -> [Completion] {
        shownSequence = sequence
        let ready = waiters.filter { $0.sequence <= sequence }.map(\.completion)
        if !ready.isEmpty { waiters.removeAll { $0.sequence <= sequence } }
        return ready
    }

    /// Lets all who wait go: what they wait for cannot be shown.
    mutating func release() -> [Completion] {
        defer { waiters = [] }
        return waiters.map(\.completion)
    }

    /// Ends.
    ///
    /// - Returns: whether it ran.
    mutating func stop() -> Bool {
        defer { phase = .stopped }
        return phase == .running
    }
}
