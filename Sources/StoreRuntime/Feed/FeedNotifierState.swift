import StoreEngine

/// The waits for the feed to advance, and how far it is known to be: a state machine without a lock or a thread.
struct FeedNotifierState {
    /// Why a wait ended.
    enum Wake: Sendable {
        case moved, cancelled, closed
    }

    typealias Resume = @Sendable (Wake) -> Void

    private struct Waiter {
        let sequence: UInt64
        let resume: Resume
    }

    /// The newest change set that this process knows of.
    private(set) var sequence: UInt64 = 0
    private(set) var isStopped = false
    private var waiters: [UInt64: Waiter] = [:]
    /// The waits for any commit, including a commit without a change set.
    private var commitWaiters: [UInt64: Resume] = [:]
    /// How often there may have been a commit, or another reason to look.
    private(set) var wakeCount: UInt64 = 0
    /// Waits that were cancelled before they began.
    private var cancelled: Set<UInt64> = []
    /// How many waits there have been, which is also the number of the last wait.
    private(set) var waitCount: UInt64 = 0
    /// Whether a listener receives every advance for as long as the store is open.
    private var isListenedTo = false
    /// Whether there is a listener or a wait.
    var isAwaited: Bool { isListenedTo || !waiters.isEmpty || !commitWaiters.isEmpty }
    /// The closures that resume the threads which are parked because there is no wait.
    private var parked: [@Sendable () -> Void] = []

    /// Returns a number for a future wait.
    mutating func makeID() -> UInt64 {
        waitCount += 1
        return waitCount
    }

    /// Waits for a change set after `sequence`.
    ///
    /// - Returns: why the wait is already over; nil if it is not, and `resume` will be called.
    mutating func wait(_ id: UInt64, after sequence: UInt64, resume: @escaping Resume) -> Wake? {
        if cancelled.remove(id) != nil { return .cancelled }
        if isStopped { return .closed }
        if self.sequence > sequence { return .moved }
        waiters[id] = Waiter(sequence: sequence, resume: resume)
        return nil
    }

    /// Waits for any commit after the wake of this number, including a commit without a change set.
    ///
    /// - Returns: why the wait is already over; nil if it is not, and `resume` will be called.
    mutating func wait(_ id: UInt64, afterWake count: UInt64, resume: @escaping Resume) -> Wake? {
        if cancelled.remove(id) != nil { return .cancelled }
        if isStopped { return .closed }
        if wakeCount != count { return .moved }
        commitWaiters[id] = resume
        return nil
    }

    /// Cancels a wait.
    ///
    /// - Returns: the closure that resumes it; nil if it has not begun.
    mutating func cancel(_ id: UInt64) -> Resume? {
        if let waiter = waiters.removeValue(forKey: id) { return waiter.resume }
        if let resume = commitWaiters.removeValue(forKey: id) { return resume }
        cancelled.insert(id)
        return nil
    }

    /// Forgets a wait that is over, and its cancellation.
    mutating func forget(_ id: UInt64) { cancelled.remove(id) }

    /// Notes how far the feed is, and returns the closures that resume the waits that are over. The position never goes back.
    mutating func advance(to sequence: UInt64) -> [Resume] {
        guard sequence > self.sequence else { return [] }
        self.sequence = sequence
        let ready = waiters.filter { $0.value.sequence < sequence }
        for id in ready.keys { waiters[id] = nil }
        return ready.values.map(\.resume)
    }

    /// Notes that there may have been a commit, and returns the closures that resume the waits for any commit.
    mutating func wake() -> [Resume] {
        wakeCount += 1
        if commitWaiters.isEmpty { return [] }
        defer { commitWaiters = [:] }
        return Array(commitWaiters.values)
    }

    /// Ends all current waits as though the feed had advanced, so that the waiting tasks check the state of the store.
    mutating func stir() -> [Resume] {
        defer { waiters = [:] }
        return waiters.values.map(\.resume) + wake()
    }

    /// Notes that a listener receives every advance from now on.
    mutating func listen() { isListenedTo = true }

    /// Parks a thread that looks how far the feed is, unless there is a wait: without one, its results are not needed.
    ///
    /// - Parameters:
    ///   - waitCount: how many waits there had been when the thread last had a reason to look.
    ///   - unpark: resumes the thread. It must look before it listens again, because the feed may have advanced meanwhile.
    /// - Returns: whether the thread may rest.
    mutating func park(ifNoneWaitedSince waitCount: UInt64, unpark: @escaping @Sendable () -> Void) -> Bool {
        guard !isAwaited, !isStopped, self.waitCount == waitCount else { return false }
        parked.append(unpark)
        return true
    }

    /// Returns the closures that resume the parked threads, because there is a wait now, or because the threads must end.
    mutating func takeParked() -> [@Sendable () -> Void] {
        defer { parked = [] }
        return parked
    }

    /// Ends all current waits, and all later ones at once.
    mutating func stop() -> [Resume] {
        isStopped = true
        return stir()
    }
}
