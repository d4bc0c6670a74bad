/// Limits of the redo log.
package struct RedoLimits: Equatable, Sendable {
    /// The length of the log after which the next write makes a checkpoint, in bytes.
    package var logByteCount = 16 << 20
    /// The length of an entry from which a commit is not logged, in bytes: then LMDB's own sync is cheaper.
    package var entryByteCount = 1 << 20
    /// How much the data file may grow from one checkpoint to the next, in bytes.
    package var growthByteCount = 64 << 20

    package init() {}
}

/// What the next writer has to know about the log before it writes.
struct RedoSituation: Equatable {
    /// The transaction of this process's pin; nil if it has none that holds.
    var pin: UInt64?
    /// The transaction of the last checkpoint.
    var checkpoint: UInt64
    /// The newest commit.
    var newest: UInt64
    /// The last commit in the log, or in the checkpoint.
    var lastLogged: UInt64
    /// The length of the log, in bytes.
    var logByteCount: Int
    /// How much the data file has grown since the checkpoint, in bytes.
    var growthByteCount: Int
    /// Whether a failed sync makes the log, the side file or the data file unreliable.
    var isSuspect: Bool

    /// Decides what the writer does first. Pure, so that tests can go through all cases.
    func decision(_ limits: RedoLimits) -> RedoDecision {
        if isSuspect { return .checkpoint(.failedSync) }
        if lastLogged != newest { return .checkpoint(.unlogged) }
        guard let pin else { return .checkpoint(.noPin) }
        if logByteCount >= limits.logByteCount { return .checkpoint(.logIsLong) }
        if growthByteCount >= limits.growthByteCount { return .checkpoint(.fileHasGrown) }
        guard pin < checkpoint else { return .write }
        // Another process made the last checkpoint. Its pages are safe with this older pin, but the pages that were freed since
        // stay unused.
        if newest == checkpoint { return .pin }
        return logByteCount >= limits.logByteCount / 2 || growthByteCount >= limits.growthByteCount / 2
            ? .checkpoint(.pinIsOld) : .write
    }
}

/// What a writer does before it writes.
enum RedoDecision: Equatable {
    /// Why a checkpoint is made.
    enum Reason: Equatable {
        case failedSync
        /// The last commits are not in the log: they were too large, or a program that knows no log made them.
        case unlogged
        case noPin
        case pinIsOld
        case logIsLong
        case fileHasGrown
        case closing
        case idle
    }

    case write
    /// Takes a new pin, which holds the last checkpoint as well as the old one.
    case pin
    case checkpoint(Reason)
}
