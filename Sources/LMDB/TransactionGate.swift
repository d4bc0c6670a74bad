internal import Dispatch
internal import Synchronization

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
        var waiters: [DispatchSemaphore] = []
        /// Set when a write transaction was dropped on a thread that cannot end it.
        var abandoned: TransactionContext?

        mutating func takeWaiters() -> [DispatchSemaphore] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Enough for the readers that one process runs at a time, few enough to leave slots to other processes.
    private static let maximumIdle = 64

    private let storage = Mutex(Storage())

    enum ReadEntry {
        case pooled(TransactionContext)
        case fresh
        case refused(TransactionGateState.Refusal)
    }

    // MARK: Readers

    func enterRead() -> ReadEntry {
        while true {
            let entry: ReadEntry?
            let semaphore: DispatchSemaphore?
            (entry, semaphore) = storage.withLock { storage in
                switch storage.state.enterRead() {
                case .enter: (storage.idle.popLast().map { .pooled($0) } ?? .fresh, nil)
                case .refuse(let refusal): (.refused(refusal), nil)
                case .wait: (nil, Self.enqueue(&storage))
                }
            }
            if let entry { return entry }
            semaphore?.wait()
        }
    }

    /// Takes a read transaction out; keeps it for later if there is room, else hands it back to be ended for good.
    func leaveRead(keeping context: TransactionContext?) -> TransactionContext? {
        let (surplus, waiters) = storage.withLock { storage in
            var surplus = context
            if let context, storage.idle.count < Self.maximumIdle, !storage.state.isClosed {
                storage.idle.append(context)
                surplus = nil
            }
            return (surplus, storage.state.leaveRead() ? storage.takeWaiters() : [])
        }
        for waiter in waiters { waiter.signal() }
        return surplus
    }

    /// The waiting read transactions, to be ended for good: at a close, or when the reader table is full.
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
        /// An earlier transaction of this very thread was dropped elsewhere: end it here, then ask again.
        case mustEnd(TransactionContext)
        case refused(TransactionGateState.Refusal)
    }

    func enterWrite(thread: UInt) -> WriteEntry {
        while true {
            let entry: WriteEntry?
            let semaphore: DispatchSemaphore?
            (entry, semaphore) = storage.withLock { storage in
                if let abandoned = storage.abandoned, storage.state.writer?.thread == thread {
                    storage.abandoned = nil
                    return (.mustEnd(abandoned), nil)
                }
                return switch storage.state.enterWrite(thread: thread) {
                case .enter: (.entered, nil)
                case .refuse(let refusal): (.refused(refusal), nil)
                case .wait: (nil, Self.enqueue(&storage))
                }
            }
            if let entry { return entry }
            semaphore?.wait()
        }
    }

    func leaveWrite() {
        let waiters = storage.withLock { storage in
            storage.state.leaveWrite()
            return storage.takeWaiters()
        }
        for waiter in waiters { waiter.signal() }
    }

    func abandonWrite(_ context: TransactionContext) {
        let waiters = storage.withLock { storage in
            storage.state.abandonWrite()
            storage.abandoned = context
            return storage.takeWaiters()
        }
        for waiter in waiters { waiter.signal() }
    }

    // MARK: Exclusive sections

    /// What kept an exclusive section from running.
    enum Obstacle: Error {
        case refused(TransactionGateState.Refusal)
        /// Time ran out with so many transactions still running.
        case timedOut(running: Int)
    }

    /// Shuts the gate, waits until all transactions are out, runs `body` and opens the gate again.
    func exclusively<Result>(
        thread: UInt, until deadline: DispatchTime, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Swift.Result<Result, Obstacle> {
        var hasShut = false
        while true {
            let answer: TransactionGateState.Answer
            let semaphore: DispatchSemaphore?
            (answer, semaphore) = storage.withLock { storage in
                var answer = hasShut ? .enter : storage.state.shut(thread: thread)
                if answer == .enter {
                    hasShut = true
                    answer = storage.state.isEmpty ? .enter : .wait
                }
                return (answer, answer == .wait ? Self.enqueue(&storage) : nil)
            }
            switch answer {
            case .refuse(let refusal): return .failure(.refused(refusal))
            case .enter:
                defer { reopen() }
                return .success(try body())
            case .wait:
                if let semaphore, semaphore.wait(timeout: deadline) == .timedOut {
                    if hasShut { reopen() }
                    return .failure(.timedOut(running: running))
                }
            }
        }
    }

    /// Shuts the gate for good and waits until all transactions are out.
    func closeForever() {
        storage.withLock { $0.state.shutForever() }
        while true {
            let semaphore = storage.withLock { storage in
                storage.state.isEmpty ? nil : Self.enqueue(&storage)
            }
            guard let semaphore else { break }
            semaphore.wait()
        }
        let waiters = storage.withLock { $0.takeWaiters() }
        for waiter in waiters { waiter.signal() }
    }

    /// Transactions that run now.
    var running: Int {
        storage.withLock { $0.state.readers + ($0.state.writer == nil ? 0 : 1) }
    }

    private func reopen() {
        let waiters = storage.withLock { storage in
            storage.state.reopen()
            return storage.takeWaiters()
        }
        for waiter in waiters { waiter.signal() }
    }

    private static func enqueue(_ storage: inout Storage) -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        storage.waiters.append(semaphore)
        return semaphore
    }
}
