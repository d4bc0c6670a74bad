#if Logging
public import Logging
public import ModelStore

extension OwnershipOptions {
    /// Has notices logged, each kind once for a line of source, and hands them on to ``onNotice`` if that is set. Standard error
    /// receives none then.
    ///
    /// Errors of tasks, updates and handlers at `error`, all else at `warning`.
    ///
    /// - Parameter logger: takes the lines.
    public mutating func logNotices(to logger: Logger) {
        let before = onNotice
        onNotice = { notice in
            before?(notice)
            notice.log(to: logger)
        }
    }
}

extension OwnershipNotice {
    func log(to logger: Logger) {
        var metadata: Logger.Metadata = ["code": "\(code.rawValue)"]
        if let line { metadata["line"] = "\(line)" }
        if let scope { metadata["scope"] = "\(scope)" }
        if let error { metadata["error"] = "\(error)" }
        logger.log(level: error == nil ? .warning : .error, "\(message)", metadata: metadata)
    }
}
#endif
