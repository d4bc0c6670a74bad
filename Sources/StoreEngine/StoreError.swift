package import LMDB

/// An error of a store, a record or a transaction.
///
/// A program tests ``code`` and shows ``description``: the code in brackets, then what happened and, from ``remedy``, what to do.
///
/// ```
/// [recordNotFound] no record Sensor with id s9; insert it first, or use upsert
/// ```
///
/// The description shows control and format characters as escapes, so that a record's id cannot control a terminal. ``message``
/// has them as they are.
///
/// Later versions may add codes. Give each `switch` over codes a `default`.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as log lines show it.
        public let description: String

        /// Creates a code. Other modules define codes of their own.
        ///
        /// - Parameter name: the name of the code, as log lines show it.
        public init(_ name: String) { description = name }

        /// A record with this id exists already.
        public static let recordExists = Code("recordExists")
        /// No record has this id.
        public static let recordNotFound = Code("recordNotFound")
        /// Another record has an id with the same key, or many have unique values with the same hash. Only ids and values of more
        /// than about 250 bytes can, and in a store of format 4 it cannot be brought about.
        public static let keyCollision = Code("keyCollision")
        /// Another record has the same value in a unique index.
        public static let uniqueViolation = Code("uniqueViolation")
        /// A record refers to a record that does not exist.
        public static let referenceBroken = Code("referenceBroken")
        /// Other records refer to the record to delete, and their delete rule denies the deletion.
        public static let deleteDenied = Code("deleteDenied")
        /// The record is missing, or its contents are not what the conditional write expects.
        public static let conditionNotMet = Code("conditionNotMet")
        /// A field or an option cannot hold the value.
        public static let invalidValue = Code("invalidValue")
        /// A stored value is sound, but the type that the program or the newest version declares cannot hold it.
        public static let valueDoesNotFit = Code("valueDoesNotFit")
        /// A change set, a record or a key is longer than the stated limit.
        public static let tooLarge = Code("tooLarge")
        /// The store has no such record type, or the program did not open the store with it.
        public static let unknownType = Code("unknownType")
        /// The record type has no such field or index.
        public static let unknownField = Code("unknownField")
        /// The schema of the store differs from the schema of the program.
        public static let schemaMismatch = Code("schemaMismatch")
        /// The store contains bytes that the library did not write.
        public static let damaged = Code("damaged")
        /// The directory holds other files, and no store.
        public static let notAStore = Code("notAStore")
        /// The store or file does not exist.
        public static let noSuchStore = Code("noSuchStore")
        /// A store exists already in the directory for a new store.
        public static let storeExists = Code("storeExists")
        /// A newer version of this library wrote the store.
        public static let newerFormat = Code("newerFormat")
        /// The store has an older format, which cannot express the change. See ``StoreOptions/upgradesFormat``.
        public static let olderFormat = Code("olderFormat")
        /// The program runs with a different liblmdb than it was compiled with, and the two use different file formats.
        public static let otherLibrary = Code("otherLibrary")
        /// The process has no address space left into which the store could grow, or reads keep it from growing. The store
        /// committed nothing.
        public static let mapFull = Code("mapFull")
        /// The store has reached its greatest size, `StoreOptions.maximumByteCount`. The store committed nothing. Deletes are
        /// still possible.
        public static let storeFull = Code("storeFull")
        /// The disk is full.
        public static let diskFull = Code("diskFull")
        /// The operating system reported an error.
        public static let ioError = Code("ioError")
        /// A sync of the data file failed, so no process writes to the store any more. Close it in all processes and open it
        /// again: the next opening recovers all acknowledged commits.
        public static let reopenNeeded = Code("reopenNeeded")
        /// The operating system denied access.
        public static let accessDenied = Code("accessDenied")
        /// The operating system cannot start a thread that the store needs.
        public static let threadUnavailable = Code("threadUnavailable")
        /// The commit failed in its last step. After a reopen, the store may or may not contain it.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// The store is open for reading only.
        public static let readOnly = Code("readOnly")
        /// The store is closed.
        public static let closed = Code("closed")
        /// A scope is closed.
        public static let scopeClosed = Code("scopeClosed")
        /// No scope provides the requested object.
        public static let notProvided = Code("notProvided")
        /// Another process, or another object of this process, uses the store, or this program runs the consumer already, and
        /// must release it first.
        public static let inUse = Code("inUse")
        /// The program requested a blocking write inside a write closure.
        public static let nestedWrite = Code("nestedWrite")
        /// The program used a transaction outside its own closure, or sent two separate actions in one write.
        public static let transactionMisused = Code("transactionMisused")
        /// The write did not begin within its timeout. The store committed nothing.
        public static let writeTimeout = Code("writeTimeout")
        /// The queue of waiting writes is full.
        public static let queueFull = Code("queueFull")
        /// The record types and indexes need more databases than the store's options allow.
        public static let tooManyDatabases = Code("tooManyDatabases")
        /// More transactions would read at the same time than ``StoreOptions/maximumReaders`` allows.
        public static let tooManyReaders = Code("tooManyReaders")
        /// The file system cannot hold a store safely.
        public static let unsupportedFileSystem = Code("unsupportedFileSystem")
        /// Another process uses the store from a different pid namespace.
        public static let foreignProcessNamespace = Code("foreignProcessNamespace")
        /// This process was forked after the store was opened.
        public static let forkedChild = Code("forkedChild")
        /// A file of the store was removed, renamed or replaced while the store was open. The store committed nothing.
        public static let filesRemoved = Code("filesRemoved")
        /// A file of the store is a symbolic link or has several names. Two such names have locks of their own, so the store is
        /// not opened.
        public static let linkedFile = Code("linkedFile")
        /// A file of the redo log is missing or cut, and the store was not closed. The last acknowledged commits may be lost with
        /// it.
        public static let redoLogIncomplete = Code("redoLogIncomplete")
        /// The feed no longer retains the change sets after the position.
        public static let positionCompacted = Code("positionCompacted")
        /// The position is after the newest change set of the store.
        public static let positionInFuture = Code("positionInFuture")
        /// The position belongs to another store.
        public static let positionOfAnotherStore = Code("positionOfAnotherStore")
        /// The history of the store at the position differs from the history that the position was taken from.
        public static let positionDiverged = Code("positionDiverged")
        /// The store cannot reconstruct its contents at the position from the feed.
        public static let historyUnavailable = Code("historyUnavailable")
        /// No consumer has this name.
        public static let consumerNotFound = Code("consumerNotFound")
        /// A consumer of this name exists already.
        public static let consumerExists = Code("consumerExists")
        /// Another reader took over, moved or deleted the consumer after this program read it.
        public static let consumerLost = Code("consumerLost")
        /// The consumer was too far behind: the store no longer retains the change sets that the consumer has not received.
        public static let consumerExpired = Code("consumerExpired")
        /// A consumer stopped at a change set, because its closure threw an error of the program in every attempt.
        public static let consumerFailed = Code("consumerFailed")
        /// A record has changed since the change that the program wants to undo.
        public static let changeConflict = Code("changeConflict")
        /// The given change set lacks some of its changes, because it is only a part or because a filter left them out.
        public static let changeSetIncomplete = Code("changeSetIncomplete")
        /// The feed records an action under a name that the program does not know.
        public static let unknownAction = Code("unknownAction")
        /// The store is a replica of a log, and the log must order its writes.
        public static let isReplica = Code("isReplica")
        /// A replica and the log that orders its writes contradict each other.
        public static let replicaDiverged = Code("replicaDiverged")
        /// Other replicas wrote first each time, and the write gave up. Nothing of it is committed.
        public static let tooManyConflicts = Code("tooManyConflicts")
        /// Another error, which the message describes.
        public static let other = Code("other")
    }

    /// The code of this error.
    public let code: Code
    /// The message: one sentence without a full stop that says what happened.
    public let message: String
    /// The remedy, if there is one: one imperative that begins in lower case, without a full stop.
    public let remedy: String?
    /// The error that caused this one.
    public let cause: (any Error)?
    /// For an error about a position, the oldest position from which the feed can be resumed.
    public package(set) var oldestPosition: Position?
    /// For `positionCompacted`, the oldest change set from which the store can compute the difference by record; nil if the store
    /// has no trail (``StoreLimits/changedRecordLimit``).
    public package(set) var oldestComparablePosition: UInt64?

    /// Creates an error.
    public init(_ code: Code, _ message: String, remedy: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String { "[\(code)] \(text)" }

    /// The description without the code, for use inside a longer message.
    package var text: String { DisplayText.escaped(remedy.map { "\(message); \($0)" } ?? message) }
}

extension StoreError {
    /// Creates the error for an LMDB error, with the same message and remedy.
    package init(_ lmdb: LMDBError) {
        let code = lmdb.isOutcomeUnknown ? Code.outcomeUnknown : StoreError.codes[lmdb.code] ?? .other
        // LMDB's own remedy for a full map does not apply: write closures grow the map by themselves, and opening a store does
        // not.
        let remedy =
            lmdb.code == .mapFull ? "raise the process's limit on address space (ulimit -v), then retry" : lmdb.remedy
        self.init(code, lmdb.detail, remedy: remedy, cause: lmdb)
    }

    /// Creates the error for undecodable bytes found at `location`.
    package init(_ codec: CodecError, at location: @autoclosure () -> String) {
        self.init(
            .damaged, "\(location()): \(codec.reason)",
            remedy: "run `store-cli verify` for all damage, then restore a backup", cause: codec)
    }

    /// Creates the error for an error of any kind that occurred while the store read `location`.
    package init(reading error: any Error, at location: @autoclosure () -> String) {
        switch error {
        case let error as StoreError: self = error
        case let error as LMDBError: self.init(error)
        case let error as CodecError: self.init(error, at: location())
        default: self.init(.other, ErrorText.of(error), cause: error)
        }
    }

    private static let codes: [LMDBError.Code: Code] = [
        .mapFull: .mapFull, .growthBlocked: .mapFull, .storeFull: .storeFull, .transactionTooLarge: .tooLarge,
        .keySize: .tooLarge, .damaged: .damaged, .truncated: .damaged, .redoLogIncomplete: .redoLogIncomplete,
        .notAStore: .notAStore, .newerFormat: .newerFormat,
        .otherLibrary: .otherLibrary,
        .noSuchFile: .noSuchStore, .unfinished: .noSuchStore, .diskFull: .diskFull, .ioError: .ioError,
        .panicked: .ioError, .lostPages: .reopenNeeded, .accessDenied: .accessDenied, .recoveryNeeded: .accessDenied,
        .readOnly: .readOnly,
        .closed: .closed, .busy: .inUse,
        .writerHeld: .writeTimeout,
        .filesRemoved: .filesRemoved, .linkedFile: .linkedFile, .threadUnavailable: .threadUnavailable,
        .conflictingOptions: .inUse, .networkFileSystem: .unsupportedFileSystem,
        .databasesFull: .tooManyDatabases, .readersFull: .tooManyReaders,
        .foreignProcessNamespace: .foreignProcessNamespace, .forkedChild: .forkedChild,
        .wrongThread: .transactionMisused, .badTransaction: .transactionMisused,
    ]
}

/// Runs `body` and converts its LMDB errors to store errors.
@inline(__always)
package func mapLMDB<T: ~Copyable>(_ body: () throws(LMDBError) -> T) throws(StoreError) -> T {
    do {
        return try body()
    } catch {
        throw StoreError(error)
    }
}
