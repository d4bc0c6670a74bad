package import Foundation
import Glibc

/// A process that a test starts, talks to line by line, and may kill. It is killed when nobody holds this object.
///
/// A thread of its own reads what the process says and takes up its end at once, whether or not the test asks for that:
/// a dead child that nobody waits for would keep Swift Testing's exit tests, which wait for any child, from ever ending.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum End: Hashable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    package struct StillRuns: Error {
        package let processID: pid_t
    }

    package let processID: pid_t
    private let input: Int32
    private let report: ChildReport

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: variables besides those of this process.
    ///   - mergesErrors: whether its error output counts as output; otherwise it goes where that of this process goes.
    ///   - onOutput: runs on a thread of its own after lines have come, and at the end of the output.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], mergesErrors: Bool = false,
        onOutput: (@Sendable () -> Void)? = nil
    ) throws {
        let toChild = try Self.channel()
        let fromChild = try Self.channel()
        defer {
            Glibc.close(toChild.childs)
            Glibc.close(fromChild.childs)
        }
        var variables = ProcessInfo.processInfo.environment
        // A crash is an answer here; nobody wants to wait for its backtrace.
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables.merge(environment) { _, new in new }
        processID = try Self.spawn(
            path, arguments, variables.map { "\($0.key)=\($0.value)" }, input: toChild.childs,
            output: fromChild.childs, mergesErrors: mergesErrors)
        input = toChild.own
        report = ChildReport(onOutput: onOutput)
        Thread.detachNewThread { [report, processID, output = fromChild.own] in
            report.readLines(output)
            report.reap(processID)
        }
    }

    /// The next line that the process says; nil at the end of its output, or when it says nothing for so long.
    package func nextLine(seconds: Double = 240) -> String? { report.nextLine(seconds: seconds) }

    /// All lines until now that ``nextLine(seconds:)`` has not given yet.
    package func linesSoFar() -> [String] { report.linesSoFar() }

    /// All lines not given yet, to the end of the output. The process must be about to end.
    package func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        return lines
    }

    /// Says a line to the process. A process that is gone does not hear it.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Ends the process without a chance to clean up.
    package func kill() { report.kill(processID) }

    /// Waits until the process has ended, which it must be about to do.
    ///
    /// - Returns: how it ended.
    /// - Throws: ``StillRuns`` when it has not after so long.
    @discardableResult
    package func wait(seconds: Double = 240) throws -> End {
        guard let end = report.end(seconds: seconds) else { throw StillRuns(processID: processID) }
        return end
    }

    deinit {
        kill()
        Glibc.close(input)
    }

    /// Two connected ends. A socket and not a pipe: it is closed in every other child of this process from the start,
    /// or none of them would see the end of its input; and writing to one whose other end is gone is no signal.
    private static func channel() throws -> (own: Int32, childs: Int32) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String], input: Int32, output: Int32, mergesErrors: Bool
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        if mergesErrors { unsafe posix_spawn_file_actions_adddup2(&actions, output, 2) }
        let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var processID: pid_t = 0
        let code = unsafe posix_spawnp(&processID, path, &actions, nil, words, variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return processID
    }
}
