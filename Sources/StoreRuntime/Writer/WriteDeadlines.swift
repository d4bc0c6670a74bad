import LMDB

/// Withdraws write closures that do not begin in time.
///
/// Cycle of an entry: added with its deadline, then withdrawn at the deadline, or dropped once its closure has ended. One timer
/// waits for the earliest deadline. Entries do not keep their closures alive.
/// - `state` is protected by its mutex.
final class WriteDeadlines: Sendable {
    private struct Entry {
        weak var job: WriteJob?
        let deadline: ContinuousClock.Instant
        let expire: @Sendable (WriteJob) -> Void

        var isOver: Bool { job?.isEnded ?? true }
    }

    private struct State {
        var entries: [Entry] = []
        /// The number of entries at which the ended ones are dropped: twice as many as the last time left.
        var sweepCount = 64
        /// When the timer fires; nil while there is none.
        var armed: ContinuousClock.Instant?

        mutating func sweep() {
            entries.removeAll { $0.isOver }
            sweepCount = max(64, entries.count * 2)
        }
    }

    private let state = HandoverMutex(State())

    /// Calls `expire` at a deadline, unless the closure has ended by then.
    func add(
        _ job: WriteJob, until deadline: ContinuousClock.Instant, _ expire: @escaping @Sendable (WriteJob) -> Void
    ) {
        let arms = state.withLock { state in
            if state.entries.count >= state.sweepCount { state.sweep() }
            state.entries.append(Entry(job: job, deadline: deadline, expire: expire))
            guard state.armed.map({ deadline < $0 }) ?? true else { return false }
            state.armed = deadline
            return true
        }
        if arms { arm(deadline) }
    }

    private func arm(_ deadline: ContinuousClock.Instant) {
        let delay = max(.zero, ContinuousClock.now.duration(to: deadline))
        Timers.after(delay) { [weak self] in self?.fire() }
    }

    private func fire() {
        let now = ContinuousClock.now
        let (expired, next) = state.withLock { state -> ([Entry], ContinuousClock.Instant?) in
            state.sweep()
            let expired = state.entries.filter { $0.deadline <= now }
            state.entries.removeAll { $0.deadline <= now }
            let next = state.entries.map(\.deadline).min()
            // Another timer may fire too. It then finds nothing to do.
            state.armed = next
            return (expired, next)
        }
        if let next { arm(next) }
        for entry in expired {
            if let job = entry.job { entry.expire(job) }
        }
    }
}
