/// A write transaction that waits for another process.
package struct LMDBWriterWait: Sendable {
    /// The process that holds the lock; nil if it is not known.
    package let processID: Int32?
    /// How long the write has waited, in whole milliseconds.
    package let waited: Duration
}

/// Reports a write transaction that has waited long for another process.
///
/// Cycle: `begin` before LMDB is asked for the lock, `end` after it. The first `begin` after a pause arms a timer, which rearms
/// itself while a wait continues. A busy writer therefore costs one timer per patience interval, and an idle writer none.
/// - `state` is protected by its mutex.
final class WriterWatch: Sendable {
    private struct State {
        var handler: (@Sendable (LMDBWriterWait) -> Void)?
        var patience = Duration.zero
        var since: ContinuousClock.Instant?
        var isArmed = false
    }

    private let state = HandoverMutex(State())
    private let lock: WriterLock?

    /// - Parameter lock: the lock; nil if the lock file could not be mapped.
    init(_ lock: WriterLock?) { self.lock = lock }

    /// Sets the handler for waits longer than `patience`. It runs on the thread of ``Timers``.
    func report(after patience: Duration, to handler: @escaping @Sendable (LMDBWriterWait) -> Void) {
        state.withLock {
            $0.handler = handler
            $0.patience = patience
        }
    }

    /// Marks that a write transaction is about to ask for the lock.
    func begin() {
        let delay = state.withLock { state -> Duration? in
            guard state.handler != nil else { return nil }
            state.since = .now
            defer { state.isArmed = true }
            return state.isArmed ? nil : state.patience
        }
        if let delay { arm(delay) }
    }

    /// Marks that the write transaction has the lock, or has failed.
    func end() {
        state.withLock { $0.since = nil }
    }

    private func arm(_ delay: Duration) {
        Timers.after(delay) { [weak self] in self?.fire() }
    }

    private func fire() {
        var handler: (@Sendable (LMDBWriterWait) -> Void)?
        let step = state.withLock { state -> (wait: LMDBWriterWait?, delay: Duration?) in
            guard let since = state.since else {
                state.isArmed = false
                return (nil, nil)
            }
            let waited = since.duration(to: .now)
            guard waited >= state.patience else { return (nil, state.patience - waited) }
            // Once per wait: the next begin arms the timer again.
            state.isArmed = false
            state.since = nil
            handler = state.handler
            let holder = lock?.holder
            let rounded = Duration.milliseconds(Int(waited / .milliseconds(1)))
            return (LMDBWriterWait(processID: holder == 0 ? nil : holder, waited: rounded), nil)
        }
        if let delay = step.delay { return arm(delay) }
        if let wait = step.wait { handler?(wait) }
    }
}

extension LMDBEnvironment {
    /// Sets the handler for write transactions that wait for another process for longer than `patience`.
    ///
    /// - Throws: ``LMDBError`` with the code `threadUnavailable`.
    package func reportWriterWaits(
        after patience: Duration, to handler: @escaping @Sendable (LMDBWriterWait) -> Void
    ) throws(LMDBError) {
        try Timers.start(for: path)
        writerWatch.report(after: patience, to: handler)
    }

    /// The process that holds the writer lock now; nil if none does or it is not known.
    package var writingProcess: Int32? {
        guard let holder = writerLock?.holder, holder != 0 else { return nil }
        return holder
    }

    /// Waits until no other process holds the writer lock.
    ///
    /// Checks every millisecond: LMDB has no begin with a time limit, and a lock that another process is recovering must not be
    /// touched. Another process may take the lock before this one does. The following begin then waits for that process.
    ///
    /// - Throws: ``LMDBError`` with the code `writerHeld` after the time has passed.
    func waitForWriterLock(atMost limit: Duration) throws(LMDBError) {
        guard let lock = writerLock else { return }
        let start = ContinuousClock.now
        while lock.isHeld {
            guard start.duration(to: .now) < limit else {
                let holder = lock.holder ?? 0
                let name =
                    holder == 0
                    ? "a process that has ended, or that runs in another pid namespace," : "process \(holder)"
                throw LMDBError(
                    .writerHeld, operation: "mdb_txn_begin", path: path,
                    detail: "\(name) has held the writer lock for \(limit)",
                    remedy: "retry, end that process, or allow a longer timeout")
            }
            SystemCalls.pause(milliseconds: 1)
        }
    }
}
