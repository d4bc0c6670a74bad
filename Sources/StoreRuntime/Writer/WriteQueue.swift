import StoreEngine

/// What waits for the writer thread: a state machine without a lock or a thread of its own.
///
/// Open, then draining (no new work, what waits is done), then closed.
struct WriteQueue {
    /// One piece of work for the writer thread.
    enum Work {
        /// Write closures that commit together.
        case writes([WriteJob])
        /// A task that has the writer thread to itself, between commits.
        case task(@Sendable () -> Void)
        /// Nothing more will come: the thread ends.
        case stop
    }

    private enum Phase {
        case open, draining, closed
    }

    private var phase = Phase.open
    private var jobs: [WriteJob] = []
    private var tasks: [@Sendable () -> Void] = []
    private let limits: StoreLimits

    init(limits: StoreLimits) { self.limits = limits }

    /// The number of closures that wait.
    var waitingCount: Int { jobs.count }

    /// Adds a write closure, or says why not.
    mutating func add(_ job: WriteJob) -> StoreError? {
        guard phase == .open else { return WriteQueue.closed }
        if jobs.count >= limits.queuedWrites { jobs.removeAll { $0.isEnded } }
        guard jobs.count < limits.queuedWrites else {
            return StoreError(
                .queueFull, "\(limits.queuedWrites) writes wait already",
                remedy: "write less at once, or raise the limit queuedWrites")
        }
        jobs.append(job)
        return nil
    }

    /// Adds a task, or says why not.
    mutating func add(_ task: @escaping @Sendable () -> Void) -> StoreError? {
        guard phase == .open else { return WriteQueue.closed }
        tasks.append(task)
        return nil
    }

    /// Lets no more in; false when that was so before.
    mutating func drain() -> Bool {
        guard phase == .open else { return false }
        phase = .draining
        return true
    }

    /// The next work, nil when the thread has to wait.
    mutating func next() -> Work? {
        if !tasks.isEmpty { return .task(tasks.removeFirst()) }
        if !jobs.isEmpty {
            let count = min(jobs.count, limits.batchedWrites)
            let batch = Array(jobs[..<count])
            jobs.removeFirst(count)
            return .writes(batch)
        }
        switch phase {
        case .open: return nil
        case .draining:
            phase = .closed
            return .stop
        case .closed: return .stop
        }
    }

    static let closed = StoreError(.closed, "the store is closed")
}
