/// The state of the log at the begin of a write.
struct RedoSituation: Equatable {
    /// Whether this process has a pin.
    var hasPin: Bool
    /// Whether a slot of any process keeps the pages of the last checkpoint.
    var isKept: Bool
    var isClosed: Bool
    /// The newest commit.
    var newest: UInt64
    /// The last commit in the log, or in the checkpoint.
    var lastLogged: UInt64
    /// Whether the last commit is in the data file only.
    var isInDataFile: Bool
    /// The length of the entries since the checkpoint, in bytes.
    var logByteCount: Int
    /// Whether the log has room for any commit.
    var hasRoom: Bool
    /// The pages that were freed since the checkpoint, in bytes.
    var keptByteCount: Int
    /// The length of the data file, in bytes.
    var fileByteCount: Int
    /// Whether a failed sync makes the log or the side file unreliable.
    var isSuspect: Bool
    /// Whether this process is making a checkpoint.
    var isChecking: Bool
    /// Whether another process is making a checkpoint.
    var isCheckingElsewhere: Bool

    /// Decides what the writer does first. Pure, so that tests can go through all cases.
    func decision(_ limits: RedoLimits) -> RedoDecision {
        if isSuspect { return .checkpoint(.failedSync) }
        if isClosed { return .checkpoint(.closed) }
        if lastLogged != newest { return .checkpoint(.unlogged) }
        if isInDataFile { return .checkpoint(.largeCommit) }
        guard hasPin else { return isKept ? .pin : .checkpoint(.noPin) }
        let kept = limits.keptByteCount(ofFile: fileByteCount)
        if keptByteCount >= 2 * kept { return .checkpoint(.keepsPages) }
        if !hasRoom { return .checkpoint(.logIsFull) }
        guard !isChecking, !isCheckingElsewhere else { return .write }
        return logByteCount >= limits.logByteCount / 2 || keptByteCount >= kept ? .beginCheckpoint : .write
    }
}

/// The step that a writer takes before it writes.
enum RedoDecision: Equatable {
    /// The reason for a checkpoint that the writer has to wait for.
    enum Reason: Equatable {
        case failedSync
        /// The last checkpoint closed the log.
        case closed
        /// The last commits are not in the log: a program that knows no log made them.
        case unlogged
        /// The last commit was too large for the log.
        case largeCommit
        /// No pin has kept the pages of the last checkpoint.
        case noPin
        /// The log has no room for a commit.
        case logIsFull
        /// Pins keep too many freed pages.
        case keepsPages
    }

    case write
    /// Takes a pin on the last checkpoint, which another process keeps.
    case pin
    /// Begins a checkpoint on another thread.
    case beginCheckpoint
    case checkpoint(Reason)
}
