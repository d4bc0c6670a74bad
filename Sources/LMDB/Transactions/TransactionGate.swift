internal import Dispatch

/// Controls which transactions may run in an environment, and pools read transactions for reuse.
///
/// Cycle: `enterRead` … `leaveRead` and `enterWrite` … `leaveWrite` by transactions; `exclusively` by map growth; `closeForever`
/// once. All state is protected by `storage`'s lock, which is held for some tens of nanoseconds. A caller that has to wait stores
/// a semaphore there and waits outside of the lock.
final class TransactionGate: Sendable {
    private struct Storage {
        var state = TransactionGateState()
        /// Ended read transactions, reset: a renewal costs a fifth of a begin. Each still holds its reader slot.
        var idle: [TransactionContext] = []
        /// The thread of each reader, recorded when it entered.
        var readingThreads: [UInt] = []
        var waiters: [DispatchSemaphore] = []
        /// Set when a write transaction was dropped on a thread that cannot end it.
        var abandoned: TransactionContext?

        /// Adds a semaphore for a caller that has to wait. It is signalled at the next change that may let the caller continue.
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

    /// Enough for the readers that one process runs at a time, and few enough to leave slots for other processes.
    private static let maximumIdle = 64

    /// How often a thread that waits for the writer checks whether the writer's thread has ended.
    private static let secondsBetweenLooks = 0.1

    private let storage = HandoverMutex(Storage())

    // MARK: Readers

    enum ReadEntry {
        case pooled(TransactionContext)
        case fresh
        case refused(TransactionGateState.Refusal)
    }

    /// Lets a reader enter. Without `pooled`, the reader has its own transaction or needs none.
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

    /// Lets a reader leave. Pools its transaction if there is room; otherwise returns it to the caller, which has to end it.
    ///
    /// - Parameter thread: the thread with which it entered.
    func leaveRead(_ thread: UInt, keeping context: TransactionContext?) -> TransactionContext? {
        let (surplus, waiters): (TransactionContext?, [DispatchSemaphore]) = storage.withLock { storage in
            // Usually the last thread in the list; otherwise the last one takes the freed index.
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

    /// Returns whether a reader that entered on a thread is still inside.
    func isReading(_ thread: UInt) -> Bool {
        storage.withLock { $0.readingThreads.contains(thread) }
    }

    /// Returns the pooled read transactions. The caller has to end them.
    func takeIdle() -> [TransactionContext] {
        storage.withLock { storage in
            defer { storage.idle = [] }
            return storage.idle
        }
    }

    // MARK: The writer

    /// The result of a request for the writer seat.
    enum WriteEntry {
        case entered
        /// The caller has the seat. A previous transaction of this thread was dropped on another thread: end it first.
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

    /// The reason why an exclusive section did not run.
    enum Obstacle: Error {
        case refused(TransactionGateState.Refusal)
        /// The time limit passed while this many transactions were still running.
        case timedOut(running: Int)
    }

    /// Shuts the gate, waits until all transactions have left, runs `body` and opens the gate again. With `keepingWriter`, the
    /// caller's own write transaction stays inside.
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

    /// Rejects new transactions permanently and waits until all transactions have left. Returns false if a write transaction was
    /// dropped on a thread other than its own, and its own thread still runs. That thread holds LMDB's lock, so the files cannot
    /// be closed.
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

    /// The number of transactions that are running.
    var running: Int {
        storage.withLock { $0.state.readers + ($0.state.isWriting ? 1 : 0) }
    }

    private func reopen() {
        change { $0.state.reopen() }
    }

    /// Changes the state and wakes all waiting threads, which check again.
    private func change(_ body: (inout Storage) -> Void) {
        let waiters = storage.withLock { storage in
            body(&storage)
            return storage.takeWaiters()
        }
        for waiter in waiters { waiter.signal() }
    }
}
