import Foundation
import LMDB
import StoreRuntime

/// The options of a worker's store, from its environment: `REDO_LOG` is the length in bytes after which the redo log makes a
/// checkpoint. Without it there is no log.
enum GivenOptions {
    static var store: StoreOptions {
        var options = StoreOptions()
        options.usesRedoLog = false
        guard let byteCount = ProcessInfo.processInfo.environment["REDO_LOG"].flatMap(Int.init) else { return options }
        options.usesRedoLog = true
        options.redoLimits.logByteCount = byteCount
        options.redoLimits.entryByteCount = byteCount / 4
        options.redoLimits.keptByteCount = 64 * byteCount
        return options
    }
}
