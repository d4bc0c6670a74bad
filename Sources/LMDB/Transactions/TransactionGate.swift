internal import Dispatch

/// Lets transactions in and out of an environment, and keeps the read transactions that wait to be used again.
///
/// Cycle: `enterRead` … `leaveRead` and `enterWrite` … `leaveWrite` by transactions; `exclusively` by map growth;
/// `closeForever` once. All state is under `storage`'s lock, which is held for some tens of nanoseconds; whoever must
/// wait leaves a semaphore there and waits outside of it.
final class TransactionGate: Sendable {
    private struct Storage {
        var state = TransactionGateState()
        /// Ended read transactions, reset: a renewal costs a fifth of a begin. Each still holds its reader slot.
        var idle: [TransactionContext] = []
        /// The threads that readers came in on, one for each.
        var readingThreads: [UInt] = []
        var waiters: [DispatchSemaphore] = []
        /// Set when a write transaction was dropped on a thread that cannot end it.
        var abandoned: TransactionContext?

        /// The caller must wait: signalled at the next change that may let it go on.
        mutating func enqueue() -> DispatchSemaphore {
            let semaphore = DispatchSemaphore(value: 0)
            waiters.append(semaphore)
            return semaphore
        }

        mutating func takeWaiters() -> [DispatchSemaphore] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Enough for the readers that one process runs at a time, few enough to leave slots to other processes.
    private static let maximumIdle = 64

    /// How often those who wait for the writer make sure that its thread has not ended.
    private static let secondsBetweenLooks = 0.1

    private let storage = HandoverMutex(Storage())

    // MARK: Readers

    enum ReadEntry {
        case pooled(TransactionContext)
        case fresh
        case refused(TransactionGateState.Refusal)
    }

    /// Lets a reader in. Without `pooled`, one that brings its own transaction or needs none.
    func enterRead(_ thread: UInt, pooled: Bool = true) -> ReadEntry {
        while true {
            let (entry, semaphore): (ReadEntry?, DispatchSemaphore?) = storage.withLock { storage in
                switch storage.state.enterRead(thread: SystemCalls.currentThreadIdentity) {
                case .enter:
                    storage.readingThreads.append(thread)
                    if pooled, let context = storage.idle.popLast() { return (.pooled(context), nil) }
                    return (.fresh, nil)
                case .refuse(let refusal): return (.refused(refusal), nil)
                case .wait: return (nil, storage.enqueue())
                }
            }
            if let entry { return entry }
            semaphore?.wait()
        }
    }

    /// Takes a reader out; keeps its transaction for later if there is room, else hands it back to be ended for good.
    ///
    /// - Parameter thread: the one that it came in on.
    func leaveRead(_ thread: UInt, keeping context: TransactionContext?) -> TransactionContext? {
        let (surplus, waiters): (TransactionContext?, [DispatchSemaphore]) = storage.withLock { storage in
            // Mostly the last one that came; else that one takes the place.
            let last = storage.readingThreads.removeLast()
            if last != thread, let index = storage.readingThreads.lastIndex(of: thread) {
                storage.readingThreads[index] = last
            }
            var surplus = context
            if let context, storage.idle.count < Self.maximumIdle {
                storage.idle.append(context)
                surplus = nil
            }
            return (surplus, storage.state.leaveRead() ? storage.takeWaiters() : [])
        }
        for waiter in waiters { waiter.signal() }
        return surplus
    }

    /// Whether a reader that came in on a thread is still in.
    func isReading(_ thread: UInt) -> Bool {
        storage.withLock { $0.readingThreads.contains(thread) }
    }

    /// The waiting read transactions, to be ended for good.
    func takeIdle() -> [TransactionContext] {
        storage.withLock { storage in
            defer { storage.idle = [] }
            return storage.idle
        }
    }

    // MARK: The writer

    /// What became of a wish for the writer's seat.
    enum WriteEntry {
        case entered
        /// The seat is taken, but this very thread's last transaction was dropped elsewhere: end it first.
        case enteredAfter(TransactionContext)
        case refused(TransactionGateState.Refusal)
    }

    func enterWrite(_ thread: ThreadIdentity) -> WriteEntry {
        while true {
            let (entry, semaphore): (WriteEntry?, DispatchSemaphore?) = storage.withLock { storage in
                if let abandoned = storage.abandoned, storage.state.resumeAbandoned(thread) {
                    storage.abandoned = nil
                    return (.enteredAfter(abandoned), nil)
                }
                switch storage.state.enterWrite(thread, isRunning: SystemCalls.isRunning) {
                case .enter: return (.entered, nil)
                case .refuse(let refusal): return (.refused(refusal), nil)
                case .wait: return (nil, storage.enqueue())
                }
            }
            if let entry { return entry }
            _ = semaphore?.wait(timeout: .now() + Self.secondsBetweenLooks)
        }
    }

    func leaveWrite() {
        change { $0.state.leaveWrite() }
    }

    func abandonWrite(_ context: TransactionContext) {
        change { storage in
            storage.state.abandonWrite()
            storage.abandoned = context
        }
    }

    // MARK: Exclusive sections

    /// What kept an exclusive section from running.
    enum Obstacle: Error {
        case refused(TransactionGateState.Refusal)
        /// Time ran out with so many transactions still running.
        case timedOut(running: Int)
    }

    /// Shuts the gate, waits until all transactions are out, runs `body` and opens the gate again. With
    /// `keepingWriter` the caller's own write transaction stays.
    func exclusively(
        until deadline: DispatchTime, keepingWriter: Bool = false, _ body: () throws(LMDBError) -> Void
    ) throws(LMDBError) -> Obstacle? {
        let thread = SystemCalls.currentThreadIdentity
        var hasShut = false
        while true {
            let (answer, semaphore): (TransactionGateState.Answer, DispatchSemaphore?) = storage.withLock { storage in
                var answer = TransactionGateState.Answer.enter
                if !hasShut {
                    answer = storage.state.shut(thread: thread, keepingWriter: keepingWriter)
                    hasShut = answer == .enter
                }
                if hasShut { answer = storage.state.lock(keepingWriter: keepingWriter) }
                return (answer, answer == .wait ? storage.enqueue() : nil)
            }
            switch answer {
            case .refuse(let refusal): return .refused(refusal)
            case .enter:
                defer { reopen() }
                try body()
                return nil
            case .wait:
                guard let semaphore, semaphore.wait(timeout: deadline) == .timedOut else { continue }
                let running = running
                if hasShut { reopen() }
                return .timedOut(running: running)
            }
        }
    }

    /// Refuses newcomers for good and waits until all transactions are out. False: a write transaction was dropped on
    /// another thread than its own, which still runs and holds LMDB's lock, so that the files cannot be closed.
    func closeForever() -> Bool {
        change { $0.state.close() }
        while true {
            let (answer, semaphore): (TransactionGateState.Answer, DispatchSemaphore?) = storage.withLock { storage in
                let answer = storage.state.leaveForClose(isRunning: SystemCalls.isRunning)
                return (answer, answer == .wait ? storage.enqueue() : nil)
            }
            guard let semaphore else { return answer == .enter }
            _ = semaphore.wait(timeout: .now() + Self.secondsBetweenLooks)
        }
    }

    func markBroken() {
        change { $0.state.markBroken() }
    }

    /// Transactions that run now.
    var running: Int {
        storage.withLock { $0.state.readers + ($0.state.isWriting ? 1 : 0) }
    }

    private func reopen() {
        change { $0.state.reopen() }
    }

    /// Changes the state and lets all who wait look again.
    private func change(_ body: (inout Storage) -> Void) {
        let waiters = storage.withLock { storage in
            body(&storage)
            return storage.takeWaiters()
        }
        for waiter in waiters { waiter.signal() }
    }
}
