import LMDB
public import ModelStoreReplication

/// A shared log in memory, with faults on request. Nodes of one process that use it are replicas of each other.
///
/// ```swift
/// let log = MemoryLog()
/// let one = try await Store.open(at: first, records: Order.self, replication: .shared(log, node: "one"))
/// let two = try await Store.open(at: second, records: Order.self, replication: .shared(log.connection(), node: "two"))
/// ```
///
/// A connection has faults of its own, so that one node can be cut off while the others go on.
///
/// - `engine` is protected by its mutex, and so is `faults`.
public final class MemoryLog: SharedLog, BlockingLog {
    private let engine: Engine
    private let faults: HandoverMutex<LogFaults>

    package var isSimulated: Bool { true }

    /// The most bytes of an entry.
    public var maximumEntryByteCount: Int { engine.maximumEntryByteCount }

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - maximumEntryByteCount: the most bytes of an entry.
    ///   - faults: the faults between this connection and the log.
    public init(maximumEntryByteCount: Int = 1 << 20, faults: LogFaults = LogFaults()) {
        engine = Engine(maximumEntryByteCount: maximumEntryByteCount)
        self.faults = HandoverMutex(faults)
    }

    private init(_ engine: Engine, _ faults: LogFaults) {
        self.engine = engine
        self.faults = HandoverMutex(faults)
    }

    /// Returns another connection to the same log.
    public func connection(faults: LogFaults = LogFaults()) -> MemoryLog { MemoryLog(engine, faults) }

    /// Whether the connection is cut: every call fails, and no wake arrives.
    public var isCut: Bool {
        get { faults.withLock { $0.isCut } }
        set { faults.withLock { $0.isCut = newValue } }
    }

    /// The share of appends that a fault hits, from 0 to 1.
    public var faultShare: Double {
        get { faults.withLock { $0.share } }
        set { faults.withLock { $0.share = newValue } }
    }

    /// The number of bytes of entries that the log takes, for all connections. More of them are refused with the error `full`;
    /// nil for no limit.
    public var byteLimit: Int? {
        get { engine.state.withLock { $0.byteLimit } }
        set { engine.state.withLock { $0.byteLimit = newValue } }
    }

    /// The entries that the log has, oldest first.
    public var allEntries: [LogEntry] { engine.state.withLock { $0.entries } }

    /// Puts the log back to an earlier position, as the restore of an old backup of its engine does. The generation stays.
    ///
    /// - Parameter index: the index of the newest entry that stays. It must not be trimmed.
    public func restore(to index: UInt64) { engine.restore(to: index) }

    // MARK: Calls

    /// Returns the newest position.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError`` with the code `unavailable` while the connection is cut.
    public func head() async throws(SharedLogError) -> LogPosition {
        try requireConnection()
        return engine.state.withLock { $0.head }
    }

    /// Appends an entry if the log's head is the entry before it, unless a fault hits the append.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError``: `unavailable`, `unknown`, `full`, `entryTooLarge`; `diverged`,
    ///   `trimmed` and `otherGeneration` if the log cannot be read on from the entry before.
    public func append(_ entry: LogEntry) async throws(SharedLogError) -> AppendOutcome { try appendNow(entry) }

    /// Returns the entries after a position, as many as fit in `maximumByteCount`, and at least one if there is one.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError``: `unavailable`, `diverged`, `trimmed`, `otherGeneration`.
    public func entries(
        after position: LogPosition, maximumByteCount: Int
    ) async throws(SharedLogError) -> LogBatch {
        try entriesNow(after: position, maximumByteCount: maximumByteCount)
    }

    package func appendNow(_ entry: LogEntry) throws(SharedLogError) -> AppendOutcome {
        guard entry.bytes.count <= maximumEntryByteCount else {
            throw SharedLogError(
                .entryTooLarge, "an entry of \(entry.bytes.count) bytes is longer than \(maximumEntryByteCount)")
        }
        let fault = faults.withLock { $0.next() }
        if let late = fault.late { _ = try? engine.append(late) }
        switch fault.kind {
        case .none: return try engine.append(entry)
        case .refused: throw SharedLogError(.unavailable, "the log cannot be reached")
        case .requestLost, .cutBefore: throw SharedLogError(.unknown, "the log did not answer")
        case .requestLate:
            faults.withLock { $0.keep(entry) }
            throw SharedLogError(.unknown, "the log did not answer")
        case .answerLost, .cutAfter:
            _ = try engine.append(entry)
            throw SharedLogError(.unknown, "the log did not answer")
        case .doubled:
            let outcome = try engine.append(entry)
            _ = try? engine.append(entry)
            return outcome
        }
    }

    package func entriesNow(after position: LogPosition, maximumByteCount: Int) throws(SharedLogError) -> LogBatch {
        try requireConnection()
        return try engine.read(after: position, maximumByteCount: maximumByteCount)
    }

    /// Returns a sequence with an element after each append of any connection. While this one is cut, it has none.
    public func wakes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = engine.state.withLock {
            $0.listen { [weak self] in if self?.isCut == false { continuation.yield() } }
        }
        continuation.onTermination = { [engine] _ in engine.state.withLock { $0.listeners[number] = nil } }
        return stream
    }

    /// Removes the entries up to a position.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError``: `unavailable`; `diverged` if the log has another entry there.
    public func trim(through position: LogPosition) async throws(SharedLogError) {
        try requireConnection()
        try engine.trim(through: position)
    }

    /// Returns how many bytes the entries have.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError`` with the code `unavailable` while the connection is cut.
    public func usage() async throws(SharedLogError) -> LogUsage {
        try requireConnection()
        return engine.state.withLock { LogUsage(byteCount: $0.byteCount, limit: $0.byteLimit) }
    }

    /// Begins a new generation of the log, if a position is the newest one. All entries are removed.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError`` with the code `unavailable` while the connection is cut.
    public func beginGeneration(
        at start: LogPosition, after head: LogPosition
    ) async throws(SharedLogError) -> Bool {
        try requireConnection()
        return engine.state.withLock { state in
            guard state.head == head else { return false }
            state.entries = []
            state.head = start
            state.floor = start
            return true
        }
    }

    /// Returns the registers whose keys begin with a prefix, in the order of the bytes of their keys.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError`` with the code `unavailable` while the connection is cut.
    public func registers(prefix: String) async throws(SharedLogError) -> [LogRegister] {
        try requireConnection()
        return engine.state.withLock { $0.registers.all(prefix: prefix) }
    }

    /// Sets or removes a register, if it has a version.
    ///
    /// - Throws: ``/ModelStoreReplication/SharedLogError`` with the code `unavailable` while the connection is cut.
    public func setRegister(
        _ key: String, to value: [UInt8]?, from version: UInt64, lifetime: Duration?
    ) async throws(SharedLogError) -> RegisterOutcome {
        try requireConnection()
        return engine.state.withLock { $0.registers.set(key, to: value, from: version, lifetime: lifetime) }
    }

    /// Lets time pass for the lifetimes of registers, which pass in no other way.
    public func advance(by duration: Duration) { engine.state.withLock { $0.registers.advance(by: duration) } }

    private func requireConnection() throws(SharedLogError) {
        if isCut { throw SharedLogError(.unavailable, "the log cannot be reached") }
    }
}

/// The log itself, which all connections share.
private final class Engine: Sendable {
    struct State {
        var entries: [LogEntry] = []
        var floor = LogPosition.start(generation: 1)
        var head = LogPosition.start(generation: 1)
        var registers = MemoryRegisters()
        var listeners: [Int: @Sendable () -> Void] = [:]
        var byteLimit: Int?
        private var lastListener = 0

        var byteCount: Int { entries.reduce(0) { $0 + $1.bytes.count } }

        mutating func listen(_ listener: @escaping @Sendable () -> Void) -> Int {
            lastListener += 1
            listeners[lastListener] = listener
            return lastListener
        }

        /// Returns the entries after a position, and the position with the same index in the log.
        func batch(after position: LogPosition, maximumByteCount: Int) throws(SharedLogError) -> LogBatch {
            guard position.generation == head.generation else {
                throw SharedLogError(.otherGeneration, "the log is in generation \(head.generation)")
            }
            guard position.index >= floor.index else {
                throw SharedLogError(.trimmed, "the log begins after entry \(floor.index)", floor: floor)
            }
            let skipped = Int(position.index - floor.index)
            let found = skipped == 0 ? floor : skipped <= entries.count ? entries[skipped - 1].position : head
            guard found == position else {
                throw SharedLogError.diverged(at: position, head: head)
            }
            var byteCount = 0
            let some = entries.dropFirst(skipped).prefix { entry in
                defer { byteCount += entry.bytes.count }
                return byteCount == 0 || byteCount + entry.bytes.count <= maximumByteCount
            }
            return LogBatch(entries: Array(some), head: head, floor: floor)
        }
    }

    let state = HandoverMutex(State())
    let maximumEntryByteCount: Int

    init(maximumEntryByteCount: Int) { self.maximumEntryByteCount = maximumEntryByteCount }

    func append(_ entry: LogEntry) throws(SharedLogError) -> AppendOutcome {
        let (outcome, listeners) = try state.withLock { state throws(SharedLogError) in
            guard entry.previous == state.head else {
                let batch = try state.batch(after: entry.previous, maximumByteCount: 1 << 20)
                return (AppendOutcome.conflict(batch), [@Sendable () -> Void]())
            }
            if let limit = state.byteLimit, state.byteCount + entry.bytes.count > limit {
                throw SharedLogError(.full, "the log has no room for \(entry.bytes.count) bytes")
            }
            state.entries.append(entry)
            state.head = entry.position
            return (.appended, Array(state.listeners.values))
        }
        for listener in listeners { listener() }
        return outcome
    }

    func read(after position: LogPosition, maximumByteCount: Int) throws(SharedLogError) -> LogBatch {
        try state.withLock { state throws(SharedLogError) in
            try state.batch(after: position, maximumByteCount: maximumByteCount)
        }
    }

    func restore(to index: UInt64) {
        state.withLock { state in
            state.entries.removeAll { $0.position.index > index }
            state.head = state.entries.last?.position ?? state.floor
        }
    }

    func trim(through position: LogPosition) throws(SharedLogError) {
        try state.withLock { state throws(SharedLogError) in
            guard position.index > state.floor.index else { return }
            let count = Int(position.index - state.floor.index)
            guard count <= state.entries.count, state.entries[count - 1].position == position else {
                throw SharedLogError.diverged(at: position, head: state.head)
            }
            state.entries.removeFirst(count)
            state.floor = position
        }
    }
}
