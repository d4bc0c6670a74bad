import Foundation
import Glibc

/// How long a process has been running.
enum ProcessAge {
    /// Whole seconds since the process was started; nil when there is none, or the system does not tell.
    static func seconds(of process: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let startSeconds = startSeconds(in: text)
        else { return nil }
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &now) == 0 else { return nil }
        return max(now.tv_sec - startSeconds, 0)
    }

    /// When a process was started, in seconds after the system was, by its line in `/proc`: the 22nd word. The second is
    /// its name in parentheses, which may hold spaces and parentheses itself.
    static func startSeconds(in line: String) -> Int? {
        guard let end = line.lastIndex(of: ")") else { return nil }
        let words = line[line.index(after: end)...].split(separator: " ")
        let ticksPerSecond = sysconf(Int32(_SC_CLK_TCK))
        guard words.count > 19, let ticks = Int(words[19]), ticksPerSecond > 0 else { return nil }
        return ticks / ticksPerSecond
    }
}
