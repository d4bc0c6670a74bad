/// The transactions that may use an environment now: a pure state machine. The result of each method states what the caller has
/// to do.
///
/// Any number of readers and one writer run at the same time. An exclusive section serves map growth, closing, or the writer's
/// drop of a database. It shuts the gate for new transactions, waits until the others have left, runs alone, and opens the gate
/// again. The writer's own thread may still read while a section waits; otherwise it would wait for itself.
struct TransactionGateState {
    enum Answer: Equatable {
        case enter
        case wait
        case refuse(Refusal)
    }

    enum Refusal: Equatable {
        /// The last `close` was called.
        case closed
        /// The map is lost. The environment can only be closed.
        case broken
        /// This thread already holds the writer seat: waiting for it would never end.
        case alreadyWriting
        /// The write transaction was dropped on a thread that cannot end it, and its own thread has not returned.
        case abandonedWriter
        /// The writer's thread ended inside its transaction: LMDB would panic at the next one.
        case deadWriter
    }

    private struct Writer: Equatable {
        var thread: ThreadIdentity
        var isAbandoned = false
    }

    private enum Door {
        case open
        /// An exclusive section waits until the others have left.
        case shut
        /// An exclusive section runs.
        case locked
    }

    private(set) var readers = 0
    private var writer: Writer?
    private var door = Door.open
    private var isClosed = false
    private var isBroken = false

    // MARK: Readers

    /// The thread is evaluated only when it matters.
    mutating func enterRead(thread: @autoclosure () -> ThreadIdentity) -> Answer {
        if isClosed { return .refuse(.closed) }
        if isBroken { return .refuse(.broken) }
        if door == .locked || door == .shut && writer?.thread != thread() { return .wait }
        readers += 1
        return .enter
    }

    /// Returns true if a waiting caller may be able to continue.
    mutating func leaveRead() -> Bool {
        precondition(readers > 0, "a read transaction left that never entered")
        readers -= 1
        return readers == 0 && (door != .open || isClosed)
    }

    // MARK: The writer

    /// After `wait`, the caller must check again at intervals: a writer whose thread ends sends no signal.
    mutating func enterWrite(_ thread: ThreadIdentity, isRunning: (ThreadIdentity) -> Bool) -> Answer {
        if isClosed { return .refuse(.closed) }
        if isBroken { return .refuse(.broken) }
        if let writer {
            if writer.thread == thread { return .refuse(.alreadyWriting) }
            guard isRunning(writer.thread) else { return .refuse(.deadWriter) }
            return writer.isAbandoned ? .refuse(.abandonedWriter) : .wait
        }
        if door != .open { return .wait }
        writer = Writer(thread: thread)
        return .enter
    }

    mutating func leaveWrite() {
        precondition(writer != nil, "a write transaction left that never entered")
        writer = nil
    }

    /// Marks that the write transaction ended on a thread that cannot unlock LMDB's mutex.
    mutating func abandonWrite() {
        writer?.isAbandoned = true
    }

    /// Returns whether this is the thread whose write transaction was abandoned. The thread then takes the seat again to end the
    /// transaction.
    mutating func resumeAbandoned(_ thread: ThreadIdentity) -> Bool {
        guard let writer, writer.isAbandoned, writer.thread == thread else { return false }
        self.writer = Writer(thread: thread)
        return true
    }

    var isWriting: Bool { writer != nil }

    // MARK: Exclusive sections

    /// Shuts the gate. The caller then waits until ``lock(keepingWriter:)`` succeeds. `keepingWriter`: the caller is the writer
    /// and stays inside.
    mutating func shut(thread: ThreadIdentity, keepingWriter: Bool) -> Answer {
        if isClosed { return .refuse(.closed) }
        if isBroken { return .refuse(.broken) }
        if !keepingWriter && writer?.thread == thread { return .refuse(.alreadyWriting) }
        if door != .open { return .wait }
        door = .shut
        return .enter
    }

    /// Locks the gate after the others have left.
    mutating func lock(keepingWriter: Bool) -> Answer {
        precondition(door == .shut, "a gate must be shut before it is locked")
        guard readers == 0, writer == nil || keepingWriter else { return .wait }
        door = .locked
        return .enter
    }

    mutating func reopen() {
        door = .open
    }

    /// Rejects all further transactions. Those inside can still leave.
    mutating func close() {
        isClosed = true
    }

    mutating func markBroken() {
        isBroken = true
    }

    /// The condition for a close: all transactions have left, except for a writer whose thread has ended. The caller must check
    /// again at intervals.
    func leaveForClose(isRunning: (ThreadIdentity) -> Bool) -> Answer {
        guard readers == 0, door == .open else { return .wait }
        guard let writer, isRunning(writer.thread) else { return .enter }
        return writer.isAbandoned ? .refuse(.abandonedWriter) : .wait
    }
}
