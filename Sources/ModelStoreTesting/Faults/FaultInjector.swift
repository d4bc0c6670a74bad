import LMDB
public import ModelStore
import Synchronization

/// Makes calls of a store's LMDB environment, and operations on its files, fail. Use it to test how a program behaves on a full
/// disk.
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
/// For a call that fails, the injector skips LMDB and returns the error code to the store. All calls of this process that use the
/// environment count, also those of the store's own threads. While live queries and feeds run, their reads count too. Stores in
/// other directories are not affected, so tests can run in parallel.
///
/// To make the creation, a backup or a restore of a store fail, create the injector for the directory around the store. The
/// store's directory is made and synced there.
///
/// - `met` is an atomic counter.
public final class FaultInjector: Sendable {
    /// A kind of call. Calls of LMDB are named after its functions; the others are operations on files and directories.
    public struct Call: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        let kind: CallKind

        /// Opens the environment: `mdb_env_open`.
        public static let open = Call(kind: .open)
        /// Flushes written pages to the disk: `mdb_env_sync`, when a store is created.
        public static let sync = Call(kind: .sync)
        /// Begins a transaction: `mdb_txn_begin`.
        public static let begin = Call(kind: .begin)
        /// Begins a read transaction that already has a reader slot: `mdb_txn_renew`.
        public static let renew = Call(kind: .renew)
        /// Commits a transaction, or a nested one for a single write closure of a batch: `mdb_txn_commit`.
        public static let commit = Call(kind: .commit)
        /// Opens a database: `mdb_dbi_open`.
        public static let openDatabase = Call(kind: .openDatabase)
        /// Reads the statistics of a database: `mdb_stat`.
        public static let statistics = Call(kind: .statistics)
        /// Empties or removes a database: `mdb_drop`.
        public static let drop = Call(kind: .drop)
        /// Reads an entry: `mdb_get`.
        public static let get = Call(kind: .get)
        /// Writes an entry: `mdb_put`.
        public static let put = Call(kind: .put)
        /// Removes an entry: `mdb_del`.
        public static let delete = Call(kind: .delete)
        /// Begins a scan: `mdb_cursor_open`.
        public static let openCursor = Call(kind: .openCursor)
        /// Moves a cursor by one step of a scan: `mdb_cursor_get`.
        public static let moveCursor = Call(kind: .moveCursor)
        /// Enlarges the map: `mdb_env_set_mapsize`.
        public static let growth = Call(kind: .growth)
        /// Reads the size of the environment: `mdb_env_info`.
        public static let info = Call(kind: .info)
        /// Reads a part of the data file for a backup or a restore: `pread`. A compacting backup is one call: `mdb_env_copy2`.
        public static let copy = Call(kind: .copy)
        /// Lists the readers: `mdb_reader_list`.
        public static let listReaders = Call(kind: .listReaders)
        /// Clears the slots of readers whose process has ended: `mdb_reader_check`.
        public static let checkReaders = Call(kind: .checkReaders)
        /// Starts one of the store's threads: `pthread_create`.
        public static let startThread = Call(kind: .startThread)
        /// Creates a directory: `mkdir`, for a new store, a backup or a restore.
        public static let makeDirectory = Call(kind: .makeDirectory)
        /// Writes to a file without LMDB: `pwrite`, when a store is created, and for a backup or a restore.
        public static let writeFile = Call(kind: .writeFile)
        /// Flushes a finished copy to the disk: `fsync`.
        public static let syncFile = Call(kind: .syncFile)
        /// Gives a finished copy its name, or exchanges it with the file that it replaces: `renameat2`.
        public static let moveFile = Call(kind: .moveFile)
        /// Flushes the names in a directory to the disk: `fsync`.
        public static let syncDirectory = Call(kind: .syncDirectory)

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
        /// No memory is available.
        public static let outOfMemory = Failure("outOfMemory", code: FaultCode.outOfMemory)
        /// The user has no permission.
        public static let accessDenied = Failure("accessDenied", code: FaultCode.accessDenied)
        /// The map is full. The store enlarges it and reruns the transaction.
        public static let mapFull = Failure("mapFull", code: FaultCode.mapFull)
        /// Another process has enlarged the map. The store does so too, and begins the transaction again.
        public static let mapResized = Failure("mapResized", code: FaultCode.mapResized)
        /// All reader slots are in use.
        public static let readersFull = Failure("readersFull", code: FaultCode.readersFull)
        /// A transaction is too large.
        public static let transactionFull = Failure("transactionFull", code: FaultCode.transactionFull)
        /// No more databases can be open.
        public static let databasesFull = Failure("databasesFull", code: FaultCode.databasesFull)
        /// A page is damaged.
        public static let damaged = Failure("damaged", code: FaultCode.damaged)
        /// Another error code, of LMDB (negative) or of the system (positive).
        public static func code(_ code: Int32) -> Failure { Failure("code \(code)", code: code) }

        /// A commit fails in its last step: `outcomeUnknown`. LMDB then disables the environment. All stores on it have to be
        /// closed and opened again. For calls other than a commit, this is ``ioError``.
        ///
        /// - Parameter isMade: whether the commit is in the data file afterwards.
        public static func outcomeUnknown(isMade: Bool) -> Failure {
            Failure(
                "outcomeUnknown(isMade: \(isMade))", .loses(code: FaultCode.ioError, isMade: isMade))
        }
    }

    private let path: String
    private let met = Atomic(0)

    /// Creates an injector for a store.
    public convenience init(_ store: Store) { self.init(path: store.environmentPath) }

    /// Creates an injector for the store in a directory, which may be opened later.
    ///
    /// - Parameter path: the directory, as the program names it when it opens the store. An injector for a directory around
    ///   several stores affects all of them.
    public init(path: String) { self.path = path }

    /// Runs `body`, during which calls fail.
    ///
    /// The faults of several injectors and of nested calls combine: the first fault that is due takes effect.
    ///
    /// - Parameters:
    ///   - call: the kind of calls that fail; nil for any.
    ///   - failure: how they fail.
    ///   - count: how many calls succeed first.
    ///   - times: how many calls fail then; later calls succeed again.
    ///   - body: the code to run.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`.
    @discardableResult
    public func failing<T>(
        _ call: Call?, with failure: Failure, after count: Int = 0, times: Int = 1, _ body: () async throws -> T
    ) async rethrows -> T {
        let number = begin(call, failure, count, times)
        defer { end(number) }
        return try await body()
    }

    /// Like the asynchronous form.
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

    /// How many calls this injector has made fail, in bodies that have ended.
    public var failureCount: Int { met.load(ordering: .relaxed) }

    /// Runs `body` and counts the calls made during it. Use it to find which calls a test can make fail.
    ///
    /// - Parameter body: the code to run.
    /// - Returns: the number of calls of each kind.
    /// - Throws: the errors of `body`.
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
