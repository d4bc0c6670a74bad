#if Postgres
import CLibPQ
import Glibc
import ModelStoreReplication
import StoreEngine

/// A connection to a PostgreSQL server, used by one thread at a time.
///
/// Parameters and results are in PostgreSQL's binary form: integers of 8 bytes, big endian, and plain bytes.
@safe
final class PostgresConnection {
    /// A value of a statement.
    enum Value {
        case text(String)
        case integer(UInt64)
        case bytes([UInt8])

        /// The number of the type in PostgreSQL's catalog.
        var type: Oid {
            switch self {
            case .text: 25
            case .integer: 20
            case .bytes: 17
            }
        }

        var encoded: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            case .integer(let value):
                (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
            }
        }
    }

    /// A row of a result: the bytes of each column; nil for null.
    typealias Row = [[UInt8]?]

    /// The longest wait for an answer, in milliseconds.
    private static let patience: Int32 = 10_000

    private let handle: OpaquePointer
    /// Whether an answer was lost, so that the connection cannot be used any more.
    private(set) var isBroken = false

    /// Connects.
    ///
    /// - Parameter info: a connection string of libpq. It may hold a password, so no error shows it.
    /// - Throws: ``SharedLogError``: `unavailable`, `refused`.
    init(_ info: String) throws(SharedLogError) {
        let names = ["dbname", "connect_timeout", "tcp_user_timeout", "application_name"]
        let values = [info, "5", "10000", "modelstore"]
        let opened: OpaquePointer? = unsafe Self.withCStrings(names) { names in
            unsafe Self.withCStrings(values) { values in unsafe PQconnectdbParams(names, values, 1) }
        }
        guard let opened = unsafe opened else { throw SharedLogError(.unavailable, "libpq has no memory") }
        unsafe handle = opened
        // Otherwise libpq prints the server's notices to the error output of the program.
        unsafe _ = PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let message = unsafe Self.line(PQerrorMessage(handle))
            let isRefusal = message.contains("authentication") || message.contains("does not exist")
            throw SharedLogError(isRefusal ? .refused : .unavailable, "PostgreSQL cannot be reached: \(message)")
        }
    }

    deinit { unsafe PQfinish(handle) }

    /// The descriptor of the connection.
    var descriptor: Int32 { unsafe PQsocket(handle) }

    /// Runs a statement and returns its rows.
    ///
    /// - Throws: ``SharedLogError``: `unknown` if there was no answer, so that the statement may have been executed; `full`,
    ///   `refused` or `unavailable` if the server has undone it.
    func run(_ statement: String, _ parameters: [Value] = []) throws(SharedLogError) -> [Row] {
        guard send(statement, parameters), waitForAnswer() else {
            isBroken = true
            throw SharedLogError(.unknown, "PostgreSQL did not answer: \(unsafe Self.line(PQerrorMessage(handle)))")
        }
        var rows: [Row] = []
        var failure: SharedLogError?
        while let result = unsafe PQgetResult(handle) {
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows += unsafe Self.rows(of: result)
            case PGRES_COMMAND_OK: break
            default: failure = unsafe failure ?? Self.failure(result)
            }
            unsafe PQclear(result)
        }
        if let failure {
            isBroken = unsafe PQstatus(handle) != CONNECTION_OK
            throw failure
        }
        return rows
    }

    private func send(_ statement: String, _ parameters: [Value]) -> Bool {
        let encoded = parameters.map(\.encoded)
        let types = parameters.map(\.type)
        let lengths = encoded.map { Int32($0.count) }
        let formats = [Int32](repeating: 1, count: encoded.count)
        // One buffer for all parameters: their addresses must stay until libpq has copied them.
        let joined: [UInt8] = Array(encoded.joined()) + [0]
        let isSent = unsafe joined.withUnsafeBytes { all in
            var offset = 0
            let addresses = unsafe encoded.map { bytes in
                defer { offset += bytes.count }
                return unsafe all.baseAddress.map { unsafe ($0 + offset).assumingMemoryBound(to: CChar.self) }
            }
            return unsafe PQsendQueryParams(
                handle, statement, Int32(encoded.count), types, addresses, lengths, formats, 1) == 1
        }
        return isSent
    }

    /// Waits until the answer is there. Returns false if the connection is lost or nothing comes.
    private func waitForAnswer() -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(Int64(Self.patience))
        while true {
            let unsent = unsafe PQflush(handle)
            guard unsent >= 0 else { return false }
            if unsent == 0, unsafe PQisBusy(handle) == 0 { return true }
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { return false }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0), revents: 0)
            guard unsafe poll(&waiting, 1, Int32(left) + 1) >= 0 || errno == EINTR else { return false }
            if Int32(waiting.revents) & (POLLIN | POLLHUP | POLLERR) != 0, unsafe PQconsumeInput(handle) == 0 {
                return false
            }
        }
    }

    /// Waits at most `milliseconds` for notifications, and returns how many came; nil if the connection is lost.
    func notifications(within milliseconds: Int32) -> Int? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, milliseconds) >= 0 || errno == EINTR else { return nil }
        if waiting.revents != 0, unsafe PQconsumeInput(handle) == 0 { return nil }
        var count = 0
        while let notification = unsafe PQnotifies(handle) {
            count += 1
            unsafe PQfreemem(notification)
        }
        return count
    }

    // MARK: Results

    private static func rows(of result: OpaquePointer) -> [Row] {
        let columns = unsafe PQnfields(result)
        let count = unsafe PQntuples(result)
        return (0..<count).map { row in
            (0..<columns).map { column in
                guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
                let count = unsafe Int(PQgetlength(result, row, column))
                guard let bytes = unsafe PQgetvalue(result, row, column) else { return nil }
                return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
            }
        }
    }

    /// The classes of SQLSTATE after which the server has undone the statement for certain are all but those in which the
    /// connection or the server ended, or a wait for standbys was cancelled.
    private static func failure(_ result: OpaquePointer) -> SharedLogError {
        let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) } ?? ""
        let message = unsafe "PostgreSQL: \(line(PQresultErrorMessage(result)))"
        switch state {
        case "53100", "53200": return SharedLogError(.full, message)
        case _ where state.hasPrefix("28") || state.hasPrefix("42"): return SharedLogError(.refused, message)
        case _ where state.isEmpty || ["08", "57", "58", "XX"].contains(String(state.prefix(2))):
            return SharedLogError(.unknown, message)
        default: return SharedLogError(.unavailable, message)
        }
    }

    /// Returns the first line of a message.
    private static func line(_ message: UnsafePointer<CChar>?) -> String {
        let text = unsafe message.map { unsafe String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "no reason is known"
    }

    private static func withCStrings<T>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T
    ) -> T {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}
#endif
