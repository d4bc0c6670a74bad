import Dispatch
import Glibc
import LMDB

/// Shows the growth of a file that other code writes, on a progress bar.
enum FileGrowth {
    private static let interval = DispatchTimeInterval.milliseconds(100)

    /// Runs `body`, and meanwhile shows how many of `total` bytes the file at `path` has.
    static func shown<T>(_ label: String, of path: String, total: Int, _ body: () throws -> T) rethrows -> T {
        let progress = ProgressBar(label, total: total, unit: "bytes")
        defer { progress.finish() }
        guard DescriptorRoom.exists(for: DescriptorRoom.eventLoopCount) else { return try body() }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler {
            var status = stat()
            if unsafe stat(path, &status) == 0 { progress.update(to: Int(status.st_size)) }
        }
        timer.resume()
        defer { timer.cancel() }
        return try body()
    }
}
