/// A log that several nodes append to and read, kept by an engine such as PostgreSQL.
///
/// Entries have the numbers 1, 2, 3, …, and each is chained to the one before by its hash. The engine keeps them durably and in
/// one order; elections and majorities are its own.
public protocol SharedLog: Sendable {
    /// The most bytes of an entry.
    var maximumEntryByteCount: Int { get }

    /// Returns the newest position. It is not older than the call.
    func head() async throws(SharedLogError) -> LogPosition

    /// Appends an entry if the log's head is `entry.previous`: the same generation, index and hash.
    ///
    /// A log must compare all three. An engine that only checks that no entry has the index would accept a late retry after the
    /// entry was trimmed.
    ///
    /// - Throws: ``SharedLogError`` with the code `unknown` if the entry may be in the log; every other code means that it is
    ///   not.
    func append(_ entry: LogEntry) async throws(SharedLogError) -> AppendOutcome

    /// Returns the entries after a position, in their order, as many as fit in `maximumByteCount`, and at least one if there is
    /// one.
    ///
    /// - Throws: ``SharedLogError``: `trimmed`; `diverged` if the log has another entry at the position; `otherGeneration`.
    func entries(after position: LogPosition, maximumByteCount: Int) async throws(SharedLogError) -> LogBatch

    /// Returns a sequence with an element after each append. It is a hint, which may be late, doubled or lost.
    func wakes() -> AsyncStream<Void>

    /// Removes the entries up to a position.
    func trim(through position: LogPosition) async throws(SharedLogError)

    /// Returns how much of the engine's room is in use.
    func usage() async throws(SharedLogError) -> LogUsage

    /// Begins a new generation of the log, if a position is the newest one: removes all entries, and makes `start` the newest
    /// position. Registers stay.
    ///
    /// - Parameters:
    ///   - start: the position from which the new generation goes on. Its generation is greater than that of `head`.
    ///   - head: the newest position until now.
    /// - Returns: false if the log has another newest position, and has not changed.
    /// - Throws: ``SharedLogError`` with the code `unknown` if the generation may have begun.
    func beginGeneration(at start: LogPosition, after head: LogPosition) async throws(SharedLogError) -> Bool

    /// Returns the registers whose keys begin with a prefix, in the order of the bytes of their keys. They are not older than the
    /// call.
    func registers(prefix: String) async throws(SharedLogError) -> [LogRegister]

    /// Sets or removes a register, if it has a version.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: the value; nil to remove the register.
    ///   - version: the version that the register must have; 0 if there must be none.
    ///   - lifetime: the time after which the engine removes the register unless it is set again, at least a second; nil for no
    ///     end.
    /// - Throws: ``SharedLogError`` with the code `unknown` if the register may have been set.
    func setRegister(
        _ key: String, to value: [UInt8]?, from version: UInt64, lifetime: Duration?
    ) async throws(SharedLogError) -> RegisterOutcome
}

/// The outcome of an append.
public enum AppendOutcome: Sendable, Hashable {
    /// The entry is in the log.
    case appended
    /// The log's head was not the entry before. This append did not add the entry. The batch has the entries after its position.
    case conflict(LogBatch)
}

/// Some entries of a log.
public struct LogBatch: Sendable, Hashable {
    /// The entries, in their order.
    public var entries: [LogEntry]
    /// The newest position of the log.
    public var head: LogPosition
    /// The position of the newest entry that was removed.
    public var floor: LogPosition

    /// Creates a batch.
    public init(entries: [LogEntry], head: LogPosition, floor: LogPosition) {
        self.entries = entries
        self.head = head
        self.floor = floor
    }
}

/// A log whose calls block the calling thread. The writer thread calls it without a task in between.
package protocol BlockingLog: SharedLog {
    /// Whether time does not pass: no pause is made between repeated appends.
    var isSimulated: Bool { get }

    func appendNow(_ entry: LogEntry) throws(SharedLogError) -> AppendOutcome
    func entriesNow(after position: LogPosition, maximumByteCount: Int) throws(SharedLogError) -> LogBatch
}
