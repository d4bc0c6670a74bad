#if Logging
public import Logging
public import ModelStore
import StoreEngine

extension OwnershipOptions {
    /// Logs notices, each kind once per source line, and then passes them to ``/ModelStore/OwnershipOptions/onNotice`` if that is
    /// set. Standard error receives no notices then.
    ///
    /// Errors of tasks, updates and handlers are logged at `error`, all other notices at `warning`. Control and format characters
    /// in a message appear as escapes.
    ///
    /// - Parameter logger: receives the messages.
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
        if let scope { metadata["scope"] = "\(DisplayText.escaped(scope))" }
        if let error { metadata["error"] = "\(error)" }
        logger.log(level: error == nil ? .warning : .error, "\(DisplayText.escaped(message))", metadata: metadata)
    }
}
#endif
