import Dispatch
import Glibc

/// Shows on a progress bar how a file grows that somebody else writes.
enum FileGrowth {
    private static let interval = DispatchTimeInterval.milliseconds(100)

    /// Runs `body` and shows meanwhile how much of `total` bytes the file at `path` has.
    static func shown<T>(_ label: String, of path: String, total: Int, _ body: () throws -> T) rethrows -> T {
        let progress = ProgressBar(label, total: total, unit: "bytes")
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler {
            var status = stat()
            if unsafe stat(path, &status) == 0 { progress.update(to: Int(status.st_size)) }
        }
        timer.resume()
        defer {
            timer.cancel()
            progress.finish()
        }
        return try body()
    }
}
