/// Who may work on an environment now: a pure state machine, each method says what its caller must do.
///
/// Any number of readers and one writer run side by side. An exclusive section (map growth, dropping a database,
/// closing) shuts the gate for newcomers, waits until everybody is out, runs alone, and opens the gate again.
struct TransactionGateState {
    enum Answer: Equatable {
        case enter
        case wait
        case refuse(Refusal)
    }

    enum Refusal: Equatable {
        /// The last `close` was called.
        case closed
        /// This thread holds the writer's seat already: waiting for it would never end.
        case alreadyWriting
        /// The write transaction was dropped on a thread that cannot end it, and its own thread has not come back.
        case abandonedWriter
    }

    struct Writer: Equatable {
        var thread: UInt
        var isAbandoned = false
    }

    private(set) var readers = 0
    private(set) var writer: Writer?
    private(set) var isShut = false
    private(set) var isClosed = false

    // MARK: Readers

    mutating func enterRead() -> Answer {
        if isClosed { return .refuse(.closed) }
        if isShut { return .wait }
        readers += 1
        return .enter
    }

    /// True when somebody may go on who waits.
    mutating func leaveRead() -> Bool {
        precondition(readers > 0, "a read transaction left that never entered")
        readers -= 1
        return readers == 0 && isShut
    }

    // MARK: The writer

    mutating func enterWrite(thread: UInt) -> Answer {
        if isClosed { return .refuse(.closed) }
        if let writer {
            if writer.thread == thread { return .refuse(.alreadyWriting) }
            return writer.isAbandoned ? .refuse(.abandonedWriter) : .wait
        }
        if isShut { return .wait }
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

    // MARK: Exclusive sections

    /// Shuts the gate; the caller then waits until `isEmpty`.
    mutating func shut(thread: UInt) -> Answer {
        if isClosed { return .refuse(.closed) }
        if writer?.thread == thread { return .refuse(.alreadyWriting) }
        if isShut { return .wait }
        isShut = true
        return .enter
    }

    /// Shuts the gate on the way to a close, which nothing may refuse.
    mutating func shutForever() {
        isClosed = true
        isShut = true
    }

    mutating func reopen() {
        isShut = isClosed
    }

    var isEmpty: Bool {
        readers == 0 && writer == nil
    }

    /// Readers only: what dropping a database, from within the write transaction, waits for.
    var hasReaders: Bool {
        readers > 0
    }
}
