#if Postgres
import Glibc
import LMDB
public import ModelStoreReplication
import StoreEngine
import StoreRuntime

/// A shared log in a PostgreSQL database.
///
/// ```swift
/// let log = try await PostgresLog.open(name: "thermo", connection: "host=10.0.0.1 dbname=thermo user=thermo")
/// let store = try await Store.open(
///     at: "thermo.store", records: Sensor.self, replication: .shared(log, node: "a"))
/// ```
///
/// The log is two tables of the database, which the first node makes. An append is one statement: it moves the head if the head
/// is still the entry before, and inserts the entry. The server's commit makes it durable: on one server, or on its synchronous
/// standbys too (`synchronous_standby_names`). With standbys, an entry counts only once they have it, whatever else makes it
/// visible. The user then needs the role `pg_read_all_stats`.
///
/// - `appending` and `reading` are protected by their mutexes. Each is a connection that is made when it is needed.
public final class PostgresLog: SharedLog, BlockingLog {
    /// Where an appended entry is durable.
    public enum Durability: Sendable {
        /// On one server. The loss of its disk loses entries.
        case onePrimary
        /// Also on the standbys that the server waits for.
        case standbys
    }

    /// The most bytes of an entry: 16 MiB.
    public let maximumEntryByteCount = 16 << 20

    /// Where an appended entry is durable, as the server said when the log was opened.
    public let durability: Durability

    package var isSimulated: Bool { false }

    private let name: String
    private let info: String
    /// Nil if the server waits for no standby.
    private let quorum: StandbyQuorum?
    /// The newest position that the standbys are known to have.
    private let confirmed = HandoverMutex<LogPosition?>(nil)
    private let appending = HandoverMutex<PostgresConnection?>(nil)
    private let reading = HandoverMutex<PostgresConnection?>(nil)

    /// Opens the log, and makes its tables if the database lacks them.
    ///
    /// - Parameters:
    ///   - name: the name of the log. A database can have several.
    ///   - connection: a connection string of libpq, such as `host=10.0.0.1 dbname=thermo user=thermo sslmode=verify-full`. It is
    ///     never printed. A password belongs into libpq's password file.
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public static func open(name: String, connection: String) async throws(SharedLogError) -> PostgresLog {
        try await BlockingWork.run { () throws(SharedLogError) in try PostgresLog(name: name, connection: connection) }
    }

    private init(name: String, connection info: String) throws(SharedLogError) {
        self.name = name
        self.info = info
        do throws(SharedLogError) {
            let connection = try PostgresConnection(info)
            for statement in LogStatements.setup { _ = try connection.run(statement) }
            _ = try connection.run(LogStatements.begin, [.text(name)])
            let standbys = try connection.run(LogStatements.standbys).first?.first ?? nil
            quorum = StandbyQuorum(names: String(decoding: standbys ?? [], as: UTF8.self))
            durability = quorum == nil ? .onePrimary : .standbys
            if quorum != nil, let row = try connection.run(LogStatements.seesStandbys).first {
                guard try ResultRow(row).integer(at: 0) == 1 else {
                    throw SharedLogError(
                        .refused,
                        "the user may not see how far the standbys are; grant the user the role pg_read_all_stats")
                }
            }
        } catch {
            // Nothing was appended, whatever was lost.
            throw error.code == .unknown ? SharedLogError(.unavailable, error.message) : error
        }
    }

    // MARK: Calls

    /// Returns the newest position.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public func head() async throws(SharedLogError) -> LogPosition {
        try await BlockingWork.run { () throws(SharedLogError) in
            guard let row = try self.read(LogStatements.head, [.text(self.name)]).first else { throw Self.gone }
            let head = try ResultRow(row).position(at: 0)
            try self.confirm(head)
            return head
        }
    }

    /// Appends an entry if the log's head is the entry before it. Waits at most 10 seconds for the answer.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unknown` if there was no answer; `unavailable`, `full`, `refused`,
    ///   `entryTooLarge`; `diverged`, `trimmed` and `otherGeneration` if the log cannot be read on from the entry before.
    public func append(_ entry: LogEntry) async throws(SharedLogError) -> AppendOutcome {
        try await BlockingWork.run { () throws(SharedLogError) in try self.appendNow(entry) }
    }

    /// Returns the entries after a position, at most 512, as many as fit in `maximumByteCount`, and at least one if there is one.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`, `diverged`, `trimmed`, `otherGeneration`.
    public func entries(after position: LogPosition, maximumByteCount: Int) async throws(SharedLogError) -> LogBatch {
        try await BlockingWork.run { () throws(SharedLogError) in
            try self.entriesNow(after: position, maximumByteCount: maximumByteCount)
        }
    }

    package func appendNow(_ entry: LogEntry) throws(SharedLogError) -> AppendOutcome {
        guard entry.bytes.count <= maximumEntryByteCount else {
            throw SharedLogError(
                .entryTooLarge, "an entry of \(entry.bytes.count) bytes is longer than \(maximumEntryByteCount)")
        }
        let rows = try appending.withLock { connection throws(SharedLogError) in
            try Self.run(
                LogStatements.append,
                [
                    .text(name), .integer(entry.position.index), .bytes(entry.position.hash.bytes),
                    .integer(entry.previous.generation), .integer(entry.previous.index),
                    .bytes(entry.previous.hash.bytes), .bytes(entry.bytes), .text(channel),
                ], on: &connection, info)
        }
        guard let row = rows.first else { throw SharedLogError(.unknown, "PostgreSQL gave no result") }
        if try ResultRow(row).integer(at: 0) == 1 {
            do {
                try confirm(entry.position)
            } catch {
                // The entry is on the server, and a standby that takes over may lack it.
                throw SharedLogError(.unknown, error.message)
            }
            return .appended
        }
        do {
            return .conflict(try entriesNow(after: entry.previous, maximumByteCount: 1 << 20))
        } catch {
            // The append itself had an answer: the entry is not in the log by it.
            throw error.code == .unknown ? SharedLogError(.unavailable, error.message) : error
        }
    }

    package func entriesNow(after position: LogPosition, maximumByteCount: Int) throws(SharedLogError) -> LogBatch {
        let rows = try read(
            LogStatements.entries,
            [.text(name), .integer(position.index), .integer(UInt64(max(1, maximumByteCount)))])
        guard let first = rows.first else { throw Self.gone }
        let row = ResultRow(first)
        let head = try row.position(at: 0)
        let floor = LogPosition(
            generation: head.generation, index: try row.integer(at: 3), hash: try row.hash(at: 4))
        try Self.require(position, head: head, floor: floor, found: row.optionalHash(at: 5))
        var entries: [LogEntry] = []
        for row in rows {
            guard let body = row[6] else { continue }
            entries.append(try LogEntry(body))
        }
        try confirm(head)
        return LogBatch(entries: entries, head: head, floor: floor)
    }

    /// Waits until enough standbys have a position that is visible here.
    ///
    /// - Throws: ``SharedLogError`` with the code `unavailable` after five seconds.
    private func confirm(_ position: LogPosition) throws(SharedLogError) {
        guard let quorum, confirmed.withLock({ $0 }) != position else { return }
        let deadline = ContinuousClock.now + Self.standbyPatience
        guard let row = try read(LogStatements.journalEnd, []).first else { throw Self.gone }
        let end = try ResultRow(row).bytes(at: 0)
        while true {
            let found = try read(LogStatements.standbysThere, [.text(String(decoding: end, as: UTF8.self))]).first
            if let found, try ResultRow(found).integer(at: 0) >= quorum.count {
                return confirmed.withLock { $0 = position }
            }
            guard .now < deadline else {
                throw SharedLogError(
                    .unavailable, "PostgreSQL has an entry that fewer than \(quorum.count) of its standbys have")
            }
            usleep(Self.standbyPause)
        }
    }

    private static let standbyPatience = Duration.seconds(5)
    /// In microseconds.
    private static let standbyPause: UInt32 = 2_000

    /// Throws unless the log can be read on from a position.
    private static func require(
        _ position: LogPosition, head: LogPosition, floor: LogPosition, found: LogHash?
    ) throws(SharedLogError) {
        guard position.generation == head.generation else {
            throw SharedLogError(.otherGeneration, "the log is in generation \(head.generation)")
        }
        guard position.index >= floor.index else {
            throw SharedLogError(.trimmed, "the log begins after entry \(floor.index)", floor: floor)
        }
        let hash = position.index == floor.index ? floor.hash : found
        guard position.index <= head.index, hash == position.hash else {
            throw .diverged(at: position, head: head)
        }
    }

    /// Returns a sequence with an element after each append, which the server notifies (`LISTEN`). It has a thread and a
    /// connection of its own.
    public func wakes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = PostgresListener(info, channel: channel) { continuation.yield() }
        continuation.onTermination = { _ in listener.stop() }
        listener.start()
        return stream
    }

    /// Removes the entries up to a position.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`; `diverged` if the log has another entry
    ///   there.
    public func trim(through position: LogPosition) async throws(SharedLogError) {
        try await BlockingWork.run { () throws(SharedLogError) in
            let before = try self.entriesNow(after: position, maximumByteCount: 1)
            if before.floor.index >= position.index { return }
            _ = try self.read(
                LogStatements.trim,
                [
                    .text(self.name), .integer(position.index), .bytes(position.hash.bytes),
                    .integer(position.generation),
                ])
        }
    }

    /// Returns how many bytes the entries of all logs in the database take. Only the server's disk limits them.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public func usage() async throws(SharedLogError) -> LogUsage {
        try await BlockingWork.run { () throws(SharedLogError) in
            guard let row = try self.read(LogStatements.usage, []).first else { throw Self.gone }
            return LogUsage(byteCount: Int(try ResultRow(row).integer(at: 0)))
        }
    }

    /// Begins a new generation of the log, if a position is the newest one. All entries are removed.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unknown` if there was no answer; `unavailable`, `full`, `refused`.
    public func beginGeneration(
        at start: LogPosition, after head: LogPosition
    ) async throws(SharedLogError) -> Bool {
        let positions = [head, start].flatMap { position -> [PostgresConnection.Value] in
            [.integer(position.generation), .integer(position.index), .bytes(position.hash.bytes)]
        }
        let rows = try await BlockingWork.run { () throws(SharedLogError) in
            try self.appending.withLock { connection throws(SharedLogError) in
                try Self.run(
                    LogStatements.beginGeneration, [.text(self.name)] + positions, on: &connection, self.info)
            }
        }
        guard let row = rows.first else { throw SharedLogError(.unknown, "PostgreSQL gave no result") }
        return try ResultRow(row).integer(at: 0) == 1
    }

    // MARK: Registers

    /// Returns the registers whose keys begin with a prefix, in the order of the bytes of their keys.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public func registers(prefix: String) async throws(SharedLogError) -> [LogRegister] {
        try await BlockingWork.run { () throws(SharedLogError) in
            var found: [LogRegister] = []
            for row in try self.read(LogStatements.registers, [.text(self.name), .text(prefix)]) {
                let decoded = ResultRow(row)
                found.append(
                    LogRegister(
                        key: String(decoding: try decoded.bytes(at: 0), as: UTF8.self), value: try decoded.bytes(at: 1),
                        version: try decoded.integer(at: 2)))
            }
            return found
        }
    }

    /// Sets or removes a register, if it has a version. The server's clock measures the lifetime.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unknown` if there was no answer; `unavailable`, `full`, `refused`.
    public func setRegister(
        _ key: String, to value: [UInt8]?, from version: UInt64, lifetime: Duration?
    ) async throws(SharedLogError) -> RegisterOutcome {
        let rows = try await BlockingWork.run { () throws(SharedLogError) in
            let (statement, parameters) = self.setting(key, to: value, from: version, lifetime: lifetime)
            return try self.appending.withLock { connection throws(SharedLogError) in
                try Self.run(statement, parameters, on: &connection, self.info)
            }
        }
        if let row = rows.first { return .set(version: value == nil ? 0 : try ResultRow(row).integer(at: 0)) }
        return .conflict(try await registers(prefix: key).first { $0.key == key })
    }

    private func setting(
        _ key: String, to value: [UInt8]?, from version: UInt64, lifetime: Duration?
    ) -> (String, [PostgresConnection.Value]) {
        guard let value else { return (LogStatements.removeRegister, [.text(name), .text(key), .integer(version)]) }
        let microseconds = lifetime.map { UInt64(max(1, $0 / .microseconds(1))) } ?? 0
        let common: [PostgresConnection.Value] = [.text(name), .text(key), .bytes(value), .integer(microseconds)]
        if version == 0 { return (LogStatements.makeRegister, common) }
        return (LogStatements.replaceRegister, common + [.integer(version)])
    }

    // MARK: Connections

    /// Runs a statement that may be repeated, on a new connection if the old one is lost.
    private func read(
        _ statement: String, _ parameters: [PostgresConnection.Value]
    ) throws(SharedLogError) -> [PostgresConnection.Row] {
        try reading.withLock { connection throws(SharedLogError) in
            do throws(SharedLogError) {
                return try Self.run(statement, parameters, on: &connection, info)
            } catch {
                guard error.code == .unknown else { throw error }
            }
            do throws(SharedLogError) {
                return try Self.run(statement, parameters, on: &connection, info)
            } catch {
                throw error.code == .unknown ? SharedLogError(.unavailable, error.message) : error
            }
        }
    }

    private static func run(
        _ statement: String, _ parameters: [PostgresConnection.Value], on connection: inout PostgresConnection?,
        _ info: String
    ) throws(SharedLogError) -> [PostgresConnection.Row] {
        let open: PostgresConnection
        if let connection { open = connection } else { open = try PostgresConnection(info) }
        defer { connection = open.isBroken ? nil : open }
        return try open.run(statement, parameters)
    }

    /// The name under which appends are notified.
    private var channel: String {
        "modelstore_" + String(unsafe XXH64.hash(Array(name.utf8).span.bytes), radix: 16)
    }

    private static let gone = SharedLogError(.refused, "the database no longer has the log")
}

extension LogHash {
    /// The hash as PostgreSQL keeps it.
    fileprivate var bytes: [UInt8] {
        PostgresConnection.Value.integer(high).encoded + PostgresConnection.Value.integer(low).encoded
    }
}

/// Decodes the columns of a row.
private struct ResultRow {
    let row: PostgresConnection.Row

    init(_ row: PostgresConnection.Row) { self.row = row }

    func integer(at column: Int) throws(SharedLogError) -> UInt64 {
        guard let bytes = row[column], bytes.count == 8 else { throw Self.unexpected(column) }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    func bytes(at column: Int) throws(SharedLogError) -> [UInt8] {
        guard let bytes = row[column] else { throw Self.unexpected(column) }
        return bytes
    }

    func hash(at column: Int) throws(SharedLogError) -> LogHash {
        guard let hash = optionalHash(at: column) else { throw Self.unexpected(column) }
        return hash
    }

    func optionalHash(at column: Int) -> LogHash? {
        guard let bytes = row[column], bytes.count == 16 else { return nil }
        return LogHash(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The generation, the index and the hash from a column on.
    func position(at column: Int) throws(SharedLogError) -> LogPosition {
        LogPosition(
            generation: try integer(at: column), index: try integer(at: column + 1), hash: try hash(at: column + 2))
    }

    private static func unexpected(_ column: Int) -> SharedLogError {
        SharedLogError(.damaged, "column \(column + 1) of the log's tables has an unexpected form")
    }
}
#endif
