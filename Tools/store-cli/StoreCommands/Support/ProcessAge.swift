import Foundation
import Glibc

/// How long a process has been running.
enum ProcessAge {
    /// Returns the whole seconds since the process started; nil if there is no such process or the system does not report it.
    static func seconds(of process: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let startSeconds = startSeconds(in: text)
        else { return nil }
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &now) == 0 else { return nil }
        return max(now.tv_sec - startSeconds, 0)
    }

    /// Returns the start of a process in seconds after the system's start. It is the 22nd word of the process's line in `/proc`.
    /// The second word is the name in parentheses, which may itself contain spaces and parentheses.
    static func startSeconds(in line: String) -> Int? {
        guard let end = line.lastIndex(of: ")") else { return nil }
        let words = line[line.index(after: end)...].split(separator: " ")
        let ticksPerSecond = sysconf(Int32(_SC_CLK_TCK))
        guard words.count > 19, let ticks = Int(words[19]), ticksPerSecond > 0 else { return nil }
        return ticks / ticksPerSecond
    }
}
