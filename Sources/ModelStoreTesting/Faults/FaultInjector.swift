import LMDB
public import ModelStore
import Synchronization

/// Makes calls of a store's LMDB environment fail: what a program does on a full disk is tested by it.
///
/// ```swift
/// let faults = FaultInjector(store)
/// await #expect(throws: StoreError.self) {
///     try await faults.failing(.commit, with: .diskFull) {
///         try await store.write { tx in try tx.insert(order) }
///     }
/// }
/// ```
///
/// A call that fails is not made; the store sees the code that LMDB would answer with. Calls are those of all who use the
/// environment in this process, also of the store's own threads: while live queries and feeds run, their reads count as others do.
/// Stores in other directories are not touched, so tests may run at the same time.
///
/// - `met` counts.
public final class FaultInjector: Sendable {
    /// A kind of calls of LMDB, which the names of its functions tell.
    public struct Call: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        let kind: CallKind

        /// The opening of the environment: `mdb_env_open`.
        public static let open = Call(kind: .open)
        /// Bringing to the disk what was written: `mdb_env_sync`, when a store is made.
        public static let sync = Call(kind: .sync)
        /// The begin of a transaction: `mdb_txn_begin`.
        public static let begin = Call(kind: .begin)
        /// The begin of a read transaction that has a slot already: `mdb_txn_renew`.
        public static let renew = Call(kind: .renew)
        /// A commit, also that of one write closure among several: `mdb_txn_commit`.
        public static let commit = Call(kind: .commit)
        /// The opening of a database: `mdb_dbi_open`.
        public static let openDatabase = Call(kind: .openDatabase)
        /// The size of a database: `mdb_stat`.
        public static let statistics = Call(kind: .statistics)
        /// Emptying or removing a database: `mdb_drop`.
        public static let drop = Call(kind: .drop)
        /// Reading an entry: `mdb_get`.
        public static let get = Call(kind: .get)
        /// Writing an entry: `mdb_put`.
        public static let put = Call(kind: .put)
        /// Removing an entry: `mdb_del`.
        public static let delete = Call(kind: .delete)
        /// The begin of a scan: `mdb_cursor_open`.
        public static let openCursor = Call(kind: .openCursor)
        /// A step of a scan: `mdb_cursor_get`.
        public static let moveCursor = Call(kind: .moveCursor)
        /// Making the map larger: `mdb_env_set_mapsize`.
        public static let growth = Call(kind: .growth)
        /// The size of the environment: `mdb_env_info`.
        public static let info = Call(kind: .info)
        /// A backup: `mdb_env_copy2`.
        public static let copy = Call(kind: .copy)
        /// Who reads: `mdb_reader_list`.
        public static let listReaders = Call(kind: .listReaders)
        /// Clearing the slots of readers that are gone: `mdb_reader_check`.
        public static let checkReaders = Call(kind: .checkReaders)

        /// All kinds.
        public static var allCases: [Call] { CallKind.allCases.map(Call.init) }

        public var description: String { kind.rawValue }
    }

    /// How a call fails.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        let fault: FaultPlan.Fault
        /// The failure's name.
        public let description: String

        private init(_ description: String, _ fault: FaultPlan.Fault) {
            self.description = description
            self.fault = fault
        }

        private init(_ description: String, code: Int32) { self.init(description, .fails(code: code)) }

        /// The disk is full.
        public static let diskFull = Failure("diskFull", code: FaultCode.diskFull)
        /// The disk cannot be read or written.
        public static let ioError = Failure("ioError", code: FaultCode.ioError)
        /// There is no memory.
        public static let outOfMemory = Failure("outOfMemory", code: FaultCode.outOfMemory)
        /// The user may not.
        public static let accessDenied = Failure("accessDenied", code: FaultCode.accessDenied)
        /// The map is full. The store makes it larger and does the transaction again.
        public static let mapFull = Failure("mapFull", code: FaultCode.mapFull)
        /// Another process has made the map larger. The store does so too, and begins again.
        public static let mapResized = Failure("mapResized", code: FaultCode.mapResized)
        /// All slots for readers are taken.
        public static let readersFull = Failure("readersFull", code: FaultCode.readersFull)
        /// A transaction is too large.
        public static let transactionFull = Failure("transactionFull", code: FaultCode.transactionFull)
        /// No more databases can be open.
        public static let databasesFull = Failure("databasesFull", code: FaultCode.databasesFull)
        /// A page is not what it should be.
        public static let damaged = Failure("damaged", code: FaultCode.damaged)
        /// Another code, of LMDB (negative) or of the system (positive).
        public static func code(_ code: Int32) -> Failure { Failure("code \(code)", code: code) }

        /// A commit fails in its last step: `outcomeUnknown`. LMDB then gives the environment up, which has to be closed by all and
        /// opened again. For calls other than a commit it is ``ioError``.
        ///
        /// - Parameter isMade: whether the commit is found then.
        public static func outcomeUnknown(isMade: Bool) -> Failure {
            Failure(
                "outcomeUnknown(isMade: \(isMade))", .loses(code: FaultCode.ioError, isMade: isMade))
        }
    }

    private let path: String
    private let met = Atomic(0)

    /// An injector for a store.
    public convenience init(_ store: Store) { self.init(path: store.environmentPath) }

    /// An injector for the store that is opened, or will be, in a directory.
    ///
    /// - Parameter path: the directory, as the program names it when it opens the store.
    public init(path: String) { self.path = path }

    /// Runs `body`, in which calls fail.
    ///
    /// Those of several injectors and of nested calls go together: the first that is due is met.
    ///
    /// - Parameters:
    ///   - call: the kind of calls that fail; nil for any.
    ///   - failure: how they fail.
    ///   - count: how many of them succeed before.
    ///   - times: how many fail then; those after succeed again.
    ///   - body: what to do meanwhile.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    @discardableResult
    public func failing<T>(
        _ call: Call?, with failure: Failure, after count: Int = 0, times: Int = 1, _ body: () async throws -> T
    ) async rethrows -> T {
        let number = begin(call, failure, count, times)
        defer { end(number) }
        return try await body()
    }

    /// As the asynchronous form.
    @discardableResult
    public func failing<T>(
        _ call: Call?, with failure: Failure, after count: Int = 0, times: Int = 1, _ body: () throws -> T
    ) rethrows -> T {
        let number = begin(call, failure, count, times)
        defer { end(number) }
        return try body()
    }

    private func begin(_ call: Call?, _ failure: Failure, _ count: Int, _ times: Int) -> Int {
        CallFaults.withPlan(at: path) { $0.add(call?.kind, failure.fault, after: count, times: times) }
    }

    private func end(_ number: Int) {
        met.add(CallFaults.withPlan(at: path) { $0.remove(number) }, ordering: .relaxed)
    }

    /// How many calls this injector has made fail, of bodies that have ended.
    public var failureCount: Int { met.load(ordering: .relaxed) }

    /// Runs `body` and counts the calls that are made meanwhile: to know which there are to fail.
    ///
    /// - Parameter body: what to do.
    /// - Returns: how many calls of each kind there were.
    /// - Throws: what `body` throws.
    public func counting(_ body: () throws -> Void) rethrows -> [Call: Int] {
        let before = CallFaults.withPlan(at: path) { plan in
            plan.watch()
            return plan.counts
        }
        var after: [CallKind: Int] = [:]
        do {
            defer {
                after = CallFaults.withPlan(at: path) { plan in
                    plan.unwatch()
                    return plan.counts
                }
            }
            try body()
        }
        return after.reduce(into: [:]) { counts, entry in
            let count = entry.value - before[entry.key, default: 0]
            if count > 0 { counts[Call(kind: entry.key)] = count }
        }
    }
}
