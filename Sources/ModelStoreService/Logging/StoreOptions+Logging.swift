#if Logging
public import Logging
public import ModelStore

extension StoreOptions {
    /// Logs the events of the store, in addition to the current ``/ModelStore/StoreOptions/onEvent``.
    ///
    /// The documentation of ModelStore lists the level and the metadata of each event, in the article Services.
    ///
    /// - Parameter logger: receives the messages. The thread that commits calls it, so a logger with a slow destination needs a
    ///   buffer.
    public mutating func logEvents(to logger: Logger) {
        let before = onEvent
        onEvent = { event in
            before?(event)
            event.log(to: logger)
        }
    }
}

extension StoreEvent {
    func log(to logger: Logger) {
        switch self {
        case .committed(let report):
            logger.trace(
                "committed",
                metadata: [
                    "position": "\(report.position.sequence)", "closures": "\(report.closureCount)",
                    "failedClosures": "\(report.failedClosureCount)", "changeSets": "\(report.changeSetCount)",
                    "changes": "\(report.changeCount)", "duration": "\(report.duration)",
                ])
        case .commitFailed(let closureCount, let error):
            logger.error("a commit failed", metadata: ["closures": "\(closureCount)", "error": "\(error)"])
        case .mapGrew(let byteCount):
            logger.notice("the map has grown", metadata: ["bytes": "\(byteCount)"])
        case .writerBlocked(let processID, let waited):
            logger.warning(
                "a write waits for another process",
                metadata: ["process": "\(processID.map(String.init) ?? "unknown")", "waited": "\(waited)"])
        case .recoveryAwaited(let waited):
            logger.warning("another process recovers the store", metadata: ["waited": "\(waited)"])
        case .filesMended(let what): logger.warning("files of the store were mended", metadata: ["what": "\(what)"])
        case .snapshotHeld(let held):
            logger.warning(
                "a reader holds an old snapshot, so the store grows",
                metadata: [
                    "process": "\(held.processID)", "commits": "\(held.commitCount)", "bytes": "\(held.byteCount)",
                    "age": "\(held.age)",
                ])
        case .logFilling(let byteCount, let limit):
            logger.warning(
                "the engine of the log has little room left",
                metadata: ["bytes": "\(byteCount)", "limit": "\(limit)"])
        case .olderFormat(let found, let newest):
            logger.notice(
                "the store has an older format", metadata: ["format": "\(found)", "newest": "\(newest)"])
        case .foreignWrite(let sequence):
            logger.warning(
                "a program that is not ModelStore wrote to the store", metadata: ["position": "\(sequence)"])
        case .consumerExpired(let name, let position):
            logger.warning(
                "a consumer has expired: the feed no longer retains change sets that it has not seen",
                metadata: ["consumer": "\(name)", "position": "\(position.sequence)"])
        case .observationFailed(let error):
            logger.error("models and live queries have ended", metadata: ["error": "\(error)"])
        }
    }
}
#endif
