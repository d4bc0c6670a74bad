internal import Dispatch

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
/// - `state` is protected by its mutex. The timer reads the lock word while it holds the mutex, so `end`, and after it the
///   unmapping, waits for the timer.
final class WriterWatch: Sendable {
    private struct State {
        var handler: (@Sendable (LMDBWriterWait) -> Void)?
        var patience = Duration.zero
        var since: ContinuousClock.Instant?
        var isArmed = false
    }

    private let state = HandoverMutex(State())
    private let lock: FoundWriterLock

    init(_ lock: FoundWriterLock) { self.lock = lock }

    /// Sets the handler for waits longer than `patience`. It runs on no particular thread.
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
        guard DescriptorRoom.exists(for: DescriptorRoom.eventLoopCount) else {
            // The next begin tries again.
            return state.withLock { $0.isArmed = false }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay / .seconds(1)) { [weak self] in self?.fire() }
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
            let holder = lock.value?.holder
            let rounded = Duration.milliseconds(Int(waited / .milliseconds(1)))
            return (LMDBWriterWait(processID: holder == 0 ? nil : holder, waited: rounded), nil)
        }
        if let delay = step.delay { return arm(delay) }
        if let wait = step.wait { handler?(wait) }
    }
}

extension LMDBEnvironment {
    /// Sets the handler for write transactions that wait for another process for longer than `patience`.
    package func reportWriterWaits(
        after patience: Duration, to handler: @escaping @Sendable (LMDBWriterWait) -> Void
    ) {
        writerWatch.report(after: patience, to: handler)
    }

    /// The process that holds the writer lock now; nil if none does or it is not known.
    package var writingProcess: Int32? {
        // A closed environment has unmapped the lock file.
        let found = try? whileOpen("mdb_env_info") { () throws(LMDBError) in writerLock.value?.holder }
        guard let holder = found ?? nil, holder != 0 else { return nil }
        return holder
    }

    /// Waits until no other process holds the writer lock.
    ///
    /// Checks every millisecond: LMDB has no begin with a time limit, and a lock that another process is recovering must not be
    /// touched. Another process may take the lock before this one does. The following begin then waits for that process.
    ///
    /// - Throws: ``LMDBError`` with the code `writerHeld` after the time has passed.
    func waitForWriterLock(atMost limit: Duration) throws(LMDBError) {
        guard let lock = writerLock.value else { return }
        let start = ContinuousClock.now
        while lock.isHeld {
            guard start.duration(to: .now) < limit else {
                let holder = lock.holder ?? 0
                let name = holder == 0 ? "a process in another pid namespace" : "process \(holder)"
                throw LMDBError(
                    .writerHeld, operation: "mdb_txn_begin", path: path,
                    detail: "\(name) has held the writer lock for \(limit)",
                    remedy: "retry, end that process, or allow a longer timeout")
            }
            SystemCalls.pause(milliseconds: 1)
        }
    }
}
