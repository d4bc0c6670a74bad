import LMDB
import ModelStoreReplay
import ModelStoreReplication
import StoreEngine
import StoreExpressions

/// How a command ends, as the contract of `store-cli` lists it.
package enum ExitStatus: Int32 {
    case done = 0
    /// Not found, condition not met, constraint violated, damage found.
    case failed = 1
    /// A log of replicas cannot be reached.
    case unreachable = 2
    case usage = 64
    case badData = 65
    case noInput = 66
    case ioError = 74
    /// Another program held the writer for longer than `--timeout`.
    case timeout = 75
    /// A write failed in its last step, so it may or may not have been made.
    case outcomeUnknown = 76
    case newerFormat = 78
}

/// A failure as the command line reports it: one line with the problem and its remedy, and an exit status.
struct CommandFailure: Error, Equatable {
    let status: ExitStatus
    let message: String
    /// Lines below the message that show where the problem is.
    let details: [String]

    init(_ status: ExitStatus, _ message: String, details: [String] = []) {
        self.status = status
        self.message = message
        self.details = details
    }

    /// Converts any error of a command.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError:
            // For a user, the oldest readable position helps more than a remedy that is meant for a program.
            let oldest = error.oldestPosition.map { "\(error.message); the oldest position is \($0.sequence)" }
            self.init(ExitStatus(error.code), oldest ?? error.text)
        case let error as LMDBError: self.init(StoreError(error))
        case let error as CodecError: self.init(.badData, error.reason)
        case let error as ExpressionError: self.init(.usage, error.message, details: error.excerpt)
        case let error as JSONError: self.init(.badData, error.description)
        case let error as CSVError: self.init(.badData, error.description)
        case let error as SystemFailure: self.init(error.isMissingFile ? .noInput : .ioError, error.description)
        default: self.init(.ioError, "\(error)")
        }
    }
}

extension ExitStatus {
    private static let statuses: [StoreError.Code: ExitStatus] = [
        .recordExists: .failed, .recordNotFound: .failed, .uniqueViolation: .failed, .conditionNotMet: .failed,
        .referenceBroken: .failed, .deleteDenied: .failed, .redoLogIncomplete: .failed,
        .positionCompacted: .failed, .positionInFuture: .failed, .positionOfAnotherStore: .failed,
        .positionDiverged: .failed, .historyUnavailable: .failed, .consumerNotFound: .failed, .consumerExists: .failed,
        .consumerLost: .failed,
        .consumerExpired: .failed, .changeConflict: .failed, .changeSetIncomplete: .failed,
        .storeExists: .failed, .traceExists: .failed,
        .damaged: .failed, .inUse: .failed, .linkedFile: .failed, .filesRemoved: .failed,
        .invalidValue: .badData, .keyCollision: .badData, .tooLarge: .badData, .schemaMismatch: .badData,
        .unknownType: .usage, .unknownField: .usage,
        .notAStore: .noInput, .noSuchStore: .noInput, .noSuchTrace: .noInput,
        .logUnavailable: .unreachable, .replicaDiverged: .failed, .isReplica: .failed,
        .writeTimeout: .timeout, .outcomeUnknown: .outcomeUnknown,
        .newerFormat: .newerFormat, .olderFormat: .newerFormat, .otherLibrary: .newerFormat, .newerTrace: .newerFormat,
        .traceDamaged: .badData, .notRecordable: .failed,
    ]

    /// Returns the status for a code of ``StoreError``. A code that the table does not list is a failure of the system, not of
    /// the caller.
    init(_ code: StoreError.Code) { self = ExitStatus.statuses[code] ?? .ioError }
}
