import Foundation
import Glibc
import Synchronization

/// The worker's reports: lines on standard output, and marks in the log of a preloaded SyncLog.
final class Reports: Sendable {
    private let output = Mutex(FileHandle.standardOutput)
    private let mark = SyncLogMark()

    /// Writes one line, at once and as a whole.
    func say(_ line: String) {
        output.withLock { output in
            // The program that started this one has ended, so no reader is left.
            guard (try? output.write(contentsOf: Data((line + "\n").utf8))) != nil else { exit(3) }
        }
    }

    /// Writes one line, and also marks it in the log of disk writes.
    func acknowledge(_ line: String) {
        mark.write(line)
        say(line)
    }
}

/// The function `synclog_mark` of a preloaded SyncLog, if there is one.
///
/// Safe to share and to call anywhere: the function takes its own lock and does not keep the text.
@safe
struct SyncLogMark: @unchecked Sendable {
    private typealias Function = @convention(c) (UnsafePointer<CChar>) -> Void

    private let function: Function?

    init() {
        guard let symbol = unsafe dlsym(nil, "synclog_mark") else {
            unsafe function = nil
            return
        }
        unsafe function = unsafeBitCast(symbol, to: Function.self)
    }

    func write(_ text: String) {
        guard let function = unsafe function else { return }
        unsafe text.withCString { unsafe function($0) }
    }
}
