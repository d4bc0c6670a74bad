#if Logging
public import Logging
public import ModelStore

extension ConsumerOptions {
    /// Logs the events of the consumer, in addition to the current ``/ModelStore/ConsumerOptions/onEvent``.
    ///
    /// The levels are:
    ///
    /// - `info`: waiting, beginning and ending.
    /// - `warning`: a change set that is retried, and an interruption on a node of a replicated store.
    /// - `error`: a change set that is skipped or at which the consumer gives up, and the expiry of the consumer.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the log.
    ///   - logger: receives the messages.
    public mutating func logEvents(of name: String, to logger: Logger) {
        var named = logger
        named[metadataKey: "consumer"] = "\(name)"
        let before = onEvent
        onEvent = { [named] event in
            before(event)
            event.log(to: named)
        }
    }
}

extension ConsumerEvent {
    func log(to logger: Logger) {
        switch self {
        case .waiting: logger.info("the consumer is held elsewhere; waiting")
        case .active(let generation, let position):
            logger.info(
                "consuming", metadata: ["generation": "\(generation)", "position": "\(position.sequence)"])
        case .interrupted(let error):
            logger.warning("consuming is interrupted; waiting", metadata: ["error": "\(error)"])
        case .failed(let sequence, let attempt, let error):
            logger.warning(
                "a change set failed; retrying",
                metadata: ["position": "\(sequence)", "attempt": "\(attempt)", "error": "\(error)"])
        case .skipped(let sequence, let error):
            logger.error(
                "a change set failed in every attempt; skipping it",
                metadata: ["position": "\(sequence)", "error": "\(error)"])
        case .gaveUp(let sequence, let error):
            logger.error(
                "the consumer gave up", metadata: ["position": "\(sequence)", "error": "\(error)"])
        case .expired(let position):
            logger.error(
                "the consumer has expired: the feed no longer retains change sets that it has not seen",
                metadata: ["position": "\(position.sequence)"])
        case .ended(let position): logger.info("consuming has ended", metadata: ["position": "\(position.sequence)"])
        }
    }
}
#endif
