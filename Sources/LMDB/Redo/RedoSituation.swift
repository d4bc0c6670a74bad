/// The state of the log at the begin of a write.
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
        // Another process made the last checkpoint. This older pin keeps the pages of that checkpoint too, and all pages that were
        // freed since.
        if newest == checkpoint { return .pin }
        return logByteCount >= limits.logByteCount / 2 || growthByteCount >= limits.growthByteCount / 2
            ? .checkpoint(.pinIsOld) : .write
    }
}
