package import LMDB

/// What went wrong with a store, a record or a transaction.
///
/// Test ``code``, show ``description``: the code in brackets, then what happened and, from ``remedy``, what to do:
///
/// ```
/// [recordNotFound] no record Sensor with id s9; insert it first, or use upsert
/// ```
///
/// New codes may be added; `switch` over them with a `default`.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, as log lines show it.
        public let description: String

        /// A kind of an error; other modules have their own.
        ///
        /// - Parameter name: the kind's name, as log lines show it.
        public init(_ name: String) { description = name }

        /// A record with this id is there already.
        public static let recordExists = Code("recordExists")
        /// There is no record with this id.
        public static let recordNotFound = Code("recordNotFound")
        /// Another record has the same value in a unique index.
        public static let uniqueViolation = Code("uniqueViolation")
        /// A record refers to one that does not exist.
        public static let referenceBroken = Code("referenceBroken")
        /// A record was deleted that others refer to, which their rule denies.
        public static let deleteDenied = Code("deleteDenied")
        /// The record is not as the conditional write expects it.
        public static let conditionNotMet = Code("conditionNotMet")
        /// A value does not fit its field.
        public static let invalidValue = Code("invalidValue")
        /// A change set, a record or a key is longer than the stated limit.
        public static let tooLarge = Code("tooLarge")
        /// The store has no such record type, or the program did not open the store with it.
        public static let unknownType = Code("unknownType")
        /// The record type has no such field or index.
        public static let unknownField = Code("unknownField")
        /// The store's schema and the program's differ.
        public static let schemaMismatch = Code("schemaMismatch")
        /// Bytes in the store are not what was written.
        public static let damaged = Code("damaged")
        /// The directory holds files of something else, and no store.
        public static let notAStore = Code("notAStore")
        /// There is no such store or file.
        public static let noSuchStore = Code("noSuchStore")
        /// There is a store already where a new one was to be made.
        public static let storeExists = Code("storeExists")
        /// The store was written by a newer version of this library.
        public static let newerFormat = Code("newerFormat")
        /// The program runs with another liblmdb than it was compiled with, and their files differ.
        public static let otherLibrary = Code("otherLibrary")
        /// The store's map is full.
        public static let mapFull = Code("mapFull")
        /// The disk is full.
        public static let diskFull = Code("diskFull")
        /// The operating system reported an error.
        public static let ioError = Code("ioError")
        /// Permission was denied.
        public static let accessDenied = Code("accessDenied")
        /// The commit failed in its last step: it may or may not be there after a reopen.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// The store is open for reading only.
        public static let readOnly = Code("readOnly")
        /// The store is closed.
        public static let closed = Code("closed")
        /// A scope is closed.
        public static let scopeClosed = Code("scopeClosed")
        /// No scope provides an object that is asked for.
        public static let notProvided = Code("notProvided")
        /// The store is in use by someone who must let go of it first.
        public static let inUse = Code("inUse")
        /// A write was asked for inside a write closure of the same store.
        public static let nestedWrite = Code("nestedWrite")
        /// The transaction is not the one that this closure was given, or its closure has ended.
        public static let transactionMisused = Code("transactionMisused")
        /// The write did not begin within its timeout; nothing was committed.
        public static let writeTimeout = Code("writeTimeout")
        /// Too many writes wait.
        public static let queueFull = Code("queueFull")
        /// The record types and indexes need more databases than the option for it allows.
        public static let tooManyDatabases = Code("tooManyDatabases")
        /// The file system cannot hold a store safely.
        public static let unsupportedFileSystem = Code("unsupportedFileSystem")
        /// Another process uses the store from another pid namespace.
        public static let foreignProcessNamespace = Code("foreignProcessNamespace")
        /// The store was opened before this process was forked.
        public static let forkedChild = Code("forkedChild")
        /// A file of the store was removed or replaced while it was open; nothing was committed.
        public static let filesRemoved = Code("filesRemoved")
        /// Change sets after the position are not retained any more.
        public static let positionCompacted = Code("positionCompacted")
        /// The store has not come to the position yet.
        public static let positionInFuture = Code("positionInFuture")
        /// The position is one of another store.
        public static let positionOfAnotherStore = Code("positionOfAnotherStore")
        /// The store's history at the position is not the one that the position was taken from.
        public static let positionDiverged = Code("positionDiverged")
        /// The feed does not tell what the store held at the position.
        public static let historyUnavailable = Code("historyUnavailable")
        /// There is no consumer of this name.
        public static let consumerNotFound = Code("consumerNotFound")
        /// The consumer is held by another process or task.
        public static let consumerHeld = Code("consumerHeld")
        /// The consumer was taken over, moved or deleted since it was read.
        public static let consumerLost = Code("consumerLost")
        /// The consumer was so far behind that the change sets it had not seen were not retained for it any longer.
        public static let consumerExpired = Code("consumerExpired")
        /// A consumer gave up at a change set: its closure threw an error of the program in every attempt.
        public static let consumerFailed = Code("consumerFailed")
        /// A record was changed since the change that is to be undone.
        public static let changeConflict = Code("changeConflict")
        /// The change set at hand lacks some of its changes: it is a part, or a filter left them out.
        public static let changeSetIncomplete = Code("changeSetIncomplete")
        /// An action is recorded under a name that the program does not know.
        public static let unknownAction = Code("unknownAction")
        /// Something else, told in the message.
        public static let other = Code("other")
    }

    /// The kind of this error.
    public let code: Code
    /// What happened, in one sentence without a full stop.
    public let message: String
    /// What to do about it, where something helps: one imperative that begins in lower case, without a full stop.
    public let remedy: String?
    /// The error below this one.
    public let cause: (any Error)?
    /// The oldest position from which the feed can be resumed, where the error is about a position.
    public package(set) var oldestPosition: Position?
    /// For `positionCompacted`, the change set from which on the store can tell the difference by record; nil where it has no trail
    /// (``StoreLimits/changedRecordLimit``).
    public package(set) var oldestComparablePosition: UInt64?

    /// An error.
    public init(_ code: Code, _ message: String, remedy: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String { "[\(code)] \(text)" }

    /// The description without the code, for a message that says more around it.
    package var text: String { remedy.map { "\(message); \($0)" } ?? message }
}

extension StoreError {
    /// The error for `lmdb`, with the same message and remedy.
    package init(_ lmdb: LMDBError) {
        let code = lmdb.isOutcomeUnknown ? Code.outcomeUnknown : StoreError.codes[lmdb.code] ?? .other
        // What LMDB's users do about it, the store's write closures do by themselves; opening a store does not.
        let remedy = lmdb.code == .mapFull ? "open the store with a larger mapByteCount" : lmdb.remedy
        self.init(code, lmdb.detail, remedy: remedy, cause: lmdb)
    }

    /// The error for undecodable bytes found at `location`.
    package init(_ codec: CodecError, at location: @autoclosure () -> String) {
        self.init(
            .damaged, "\(location()): \(codec.reason)",
            remedy: "run `store-cli verify` for all damage, then restore a backup", cause: codec)
    }

    /// The error for one of any kind that was met while `location` was read.
    package init(reading error: any Error, at location: @autoclosure () -> String) {
        switch error {
        case let error as StoreError: self = error
        case let error as LMDBError: self.init(error)
        case let error as CodecError: self.init(error, at: location())
        default: self.init(.other, ErrorText.of(error), cause: error)
        }
    }

    private static let codes: [LMDBError.Code: Code] = [
        .mapFull: .mapFull, .growthBlocked: .mapFull, .transactionTooLarge: .tooLarge, .keySize: .tooLarge,
        .damaged: .damaged, .truncated: .damaged, .notAStore: .notAStore, .newerFormat: .newerFormat,
        .otherLibrary: .otherLibrary,
        .noSuchFile: .noSuchStore, .unfinished: .noSuchStore, .diskFull: .diskFull, .ioError: .ioError,
        .panicked: .ioError, .accessDenied: .accessDenied, .readOnly: .readOnly, .closed: .closed, .busy: .inUse,
        .writerHeld: .writeTimeout,
        .filesRemoved: .filesRemoved,
        .conflictingOptions: .inUse, .networkFileSystem: .unsupportedFileSystem,
        .databasesFull: .tooManyDatabases,
        .foreignProcessNamespace: .foreignProcessNamespace, .forkedChild: .forkedChild,
        .wrongThread: .transactionMisused, .badTransaction: .transactionMisused,
    ]
}

/// Runs `body` and turns its LMDB errors into store errors.
@inline(__always)
package func mapLMDB<T: ~Copyable>(_ body: () throws(LMDBError) -> T) throws(StoreError) -> T {
    do {
        return try body()
    } catch {
        throw StoreError(error)
    }
}
