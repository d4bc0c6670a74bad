import StoreEngine

/// Who waits for the feed to move on, and how far it is known to be: a state machine without a lock or a thread.
struct DispatchState {
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
    /// The waits for any commit, also one without a change set.
    private var commitWaiters: [UInt64: Resume] = [:]
    /// How often there may have been a commit, or a reason to look.
    private(set) var wakeCount: UInt64 = 0
    /// Waits that were cancelled before they began.
    private var cancelled: Set<UInt64> = []
    /// How many waits there have been; the number of the last.
    private(set) var waitCount: UInt64 = 0
    /// Whether somebody wants to hear of every move, for as long as the store is open.
    private var isListenedTo = false
    /// Whether somebody waits.
    var isAwaited: Bool { isListenedTo || !waiters.isEmpty || !commitWaiters.isEmpty }
    /// What brings back the threads that rest because nobody waits.
    private var parked: [@Sendable () -> Void] = []

    /// A number for a wait to come.
    mutating func makeID() -> UInt64 {
        waitCount += 1
        return waitCount
    }

    /// Waits for a change set after `sequence`.
    ///
    /// - Returns: why the wait is over already; nil when it is not, and `resume` will be called.
    mutating func wait(_ id: UInt64, after sequence: UInt64, resume: @escaping Resume) -> Wake? {
        if cancelled.remove(id) != nil { return .cancelled }
        if isStopped { return .closed }
        if self.sequence > sequence { return .moved }
        waiters[id] = Waiter(sequence: sequence, resume: resume)
        return nil
    }

    /// Waits for any commit after the wake of this number, also one without a change set.
    ///
    /// - Returns: why the wait is over already; nil when it is not, and `resume` will be called.
    mutating func wait(_ id: UInt64, afterWake count: UInt64, resume: @escaping Resume) -> Wake? {
        if cancelled.remove(id) != nil { return .cancelled }
        if isStopped { return .closed }
        if wakeCount != count { return .moved }
        commitWaiters[id] = resume
        return nil
    }

    /// Ends a wait.
    mutating func cancel(_ id: UInt64) -> Resume? {
        if let waiter = waiters.removeValue(forKey: id) { return waiter.resume }
        if let resume = commitWaiters.removeValue(forKey: id) { return resume }
        cancelled.insert(id)
        return nil
    }

    /// Forgets a wait that is over, and that it was cancelled.
    mutating func forget(_ id: UInt64) { cancelled.remove(id) }

    /// Notes how far the feed is, and gives those whose wait is over. It never goes back.
    mutating func advance(to sequence: UInt64) -> [Resume] {
        guard sequence > self.sequence else { return [] }
        self.sequence = sequence
        let ready = waiters.filter { $0.value.sequence < sequence }
        for id in ready.keys { waiters[id] = nil }
        return ready.values.map(\.resume)
    }

    /// Notes that there may have been a commit, and gives the waits for any.
    mutating func wake() -> [Resume] {
        wakeCount += 1
        if commitWaiters.isEmpty { return [] }
        defer { commitWaiters = [:] }
        return Array(commitWaiters.values)
    }

    /// Ends all waits of now, as though the feed had moved on, so that those who wait look what has become of the store.
    mutating func stir() -> [Resume] {
        defer { waiters = [:] }
        return waiters.values.map(\.resume) + wake()
    }

    /// Notes that somebody wants to hear of every move from now on.
    mutating func listen() { isListenedTo = true }

    /// Has a thread that looks how far the feed is rest, unless somebody waits: what it would tell nobody wants to know.
    ///
    /// - Parameters:
    ///   - waitCount: how many waits there had been when the thread last had a reason to look.
    ///   - unpark: brings the thread back. It must look before it listens again: the feed may have moved meanwhile.
    /// - Returns: whether the thread may rest.
    mutating func park(ifNoneWaitedSince waitCount: UInt64, unpark: @escaping @Sendable () -> Void) -> Bool {
        guard !isAwaited, !isStopped, self.waitCount == waitCount else { return false }
        parked.append(unpark)
        return true
    }

    /// Gives what brings the resting threads back, now that somebody waits, or that they are to end.
    mutating func takeParked() -> [@Sendable () -> Void] {
        defer { parked = [] }
        return parked
    }

    /// Ends all waits, now and later.
    mutating func stop() -> [Resume] {
        isStopped = true
        return stir()
    }
}
