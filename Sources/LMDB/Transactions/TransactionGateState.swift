/// Who may work on an environment now: a pure state machine, each method says what its caller must do.
///
/// Any number of readers and one writer run side by side. An exclusive section (map growth, closing; for the writer
/// itself: dropping a database) shuts the gate for newcomers, waits until the others are out, runs alone, and opens the
/// gate again. The writer's own thread may still read while a section waits: it would wait for itself otherwise.
struct TransactionGateState {
    enum Answer: Equatable {
        case enter
        case wait
        case refuse(Refusal)
    }

    enum Refusal: Equatable {
        /// The last `close` was called.
        case closed
        /// The map is gone: only closing is left.
        case broken
        /// This thread holds the writer's seat already: waiting for it would never end.
        case alreadyWriting
        /// The write transaction was dropped on a thread that cannot end it, and its own thread has not come back.
        case abandonedWriter
        /// The writer's thread ended inside its transaction: LMDB would panic at the next.
        case deadWriter
    }

    private struct Writer: Equatable {
        var thread: ThreadIdentity
        var isAbandoned = false
    }

    private enum Door {
        case open
        /// Somebody waits to be alone.
        case shut
        /// Somebody is alone.
        case locked
    }

    private(set) var readers = 0
    private var writer: Writer?
    private var door = Door.open
    private var isClosed = false
    private var isBroken = false

    // MARK: Readers

    /// The thread is asked for only when it matters.
    mutating func enterRead(thread: @autoclosure () -> ThreadIdentity) -> Answer {
        if isClosed { return .refuse(.closed) }
        if isBroken { return .refuse(.broken) }
        if door == .locked || door == .shut && writer?.thread != thread() { return .wait }
        readers += 1
        return .enter
    }

    /// True when somebody may go on who waits.
    mutating func leaveRead() -> Bool {
        precondition(readers > 0, "a read transaction left that never entered")
        readers -= 1
        return readers == 0 && (door != .open || isClosed)
    }

    // MARK: The writer

    /// Whoever is told to wait must look again every now and then: a writer whose thread ends does not say so.
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

    /// The write transaction ended on a thread that cannot unlock LMDB's mutex.
    mutating func abandonWrite() {
        writer?.isAbandoned = true
    }

    /// Whether this is the thread whose write transaction was abandoned; it then takes the seat back to end it.
    mutating func resumeAbandoned(_ thread: ThreadIdentity) -> Bool {
        guard let writer, writer.isAbandoned, writer.thread == thread else { return false }
        self.writer = Writer(thread: thread)
        return true
    }

    var isWriting: Bool { writer != nil }

    // MARK: Exclusive sections

    /// Shuts the gate; the caller then waits until `mayLock`. `keepingWriter`: the caller is the writer and stays in.
    mutating func shut(thread: ThreadIdentity, keepingWriter: Bool) -> Answer {
        if isClosed { return .refuse(.closed) }
        if isBroken { return .refuse(.broken) }
        if !keepingWriter && writer?.thread == thread { return .refuse(.alreadyWriting) }
        if door != .open { return .wait }
        door = .shut
        return .enter
    }

    /// Once the others are out: locks the gate.
    mutating func lock(keepingWriter: Bool) -> Answer {
        precondition(door == .shut, "a gate must be shut before it is locked")
        guard readers == 0, writer == nil || keepingWriter else { return .wait }
        door = .locked
        return .enter
    }

    mutating func reopen() {
        door = .open
    }

    /// Nobody enters any more; those inside still leave.
    mutating func close() {
        isClosed = true
    }

    mutating func markBroken() {
        isBroken = true
    }

    /// What a close waits for: all are out but a writer whose thread has ended. Also to be asked again now and then.
    func leaveForClose(isRunning: (ThreadIdentity) -> Bool) -> Answer {
        guard readers == 0, door == .open else { return .wait }
        guard let writer, isRunning(writer.thread) else { return .enter }
        return writer.isAbandoned ? .refuse(.abandonedWriter) : .wait
    }
}
