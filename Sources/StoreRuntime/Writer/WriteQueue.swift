import StoreEngine

/// The work that waits for the writer thread: a state machine without a lock or a thread of its own.
///
/// The queue is open, then draining (it takes no new work and finishes the waiting work), then closed. Meanwhile there is no
/// worker, or the writer thread works, or a caller that found no work but its own write.
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

    private enum Worker {
        case nobody, thread, caller
    }

    private var phase = Phase.open
    private var worker = Worker.nobody
    private var jobs: [WriteJob] = []
    private var tasks: [@Sendable () -> Void] = []
    /// Whether the last piece of work was a task.
    private var hasDoneTask = false
    private let limits: StoreLimits

    init(limits: StoreLimits) { self.limits = limits }

    /// The number of closures that wait.
    var waitingCount: Int { jobs.count }

    /// Adds a write closure. Returns an error if it cannot.
    mutating func add(_ job: WriteJob) -> StoreError? {
        guard phase == .open else { return WriteQueue.closed }
        if jobs.count >= limits.queuedWrites { jobs.removeAll { $0.isEnded } }
        guard jobs.count < limits.queuedWrites else {
            return StoreError(
                .queueFull, "\(limits.queuedWrites) writes are already waiting",
                remedy: "write less at once, or raise the limit queuedWrites")
        }
        jobs.append(job)
        return nil
    }

    /// Adds a task. Returns an error if it cannot.
    mutating func add(_ task: @escaping @Sendable () -> Void) -> StoreError? {
        guard phase == .open else { return WriteQueue.closed }
        tasks.append(task)
        return nil
    }

    /// Stops taking new work. Returns false if it already had.
    mutating func drain() -> Bool {
        guard phase == .open else { return false }
        phase = .draining
        return true
    }

    /// Lets a caller run its own write, if nothing else waits or runs. Returns whether it may.
    mutating func claim() -> Bool {
        guard phase == .open, worker == .nobody, jobs.isEmpty, tasks.isEmpty else { return false }
        worker = .caller
        return true
    }

    /// Ends what `claim()` began. Returns whether the writer thread has something to do.
    mutating func relinquish() -> Bool {
        worker = .nobody
        return phase != .open || !jobs.isEmpty || !tasks.isEmpty
    }

    /// Returns the next work; nil when the thread has to wait.
    mutating func next() -> Work? {
        if worker == .caller { return nil }
        let work = takeNext()
        worker = work == nil ? .nobody : .thread
        return work
    }

    private mutating func takeNext() -> Work? {
        // Tasks and writes take turns, so that tasks that post their successor, such as steps of retention, do not keep writes
        // waiting.
        if !tasks.isEmpty, jobs.isEmpty || !hasDoneTask {
            hasDoneTask = true
            return .task(tasks.removeFirst())
        }
        hasDoneTask = false
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
