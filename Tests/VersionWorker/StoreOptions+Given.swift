import Foundation
import ModelStore

extension StoreOptions {
    /// The options from the environment: with `NO_REDO_LOG`, the store has no redo log.
    static var given: StoreOptions {
        var options = StoreOptions()
        if ProcessInfo.processInfo.environment["NO_REDO_LOG"] != nil { options.usesRedoLog = false }
        return options
    }
}
