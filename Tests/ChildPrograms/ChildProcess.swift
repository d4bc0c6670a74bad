package import Foundation
import Glibc

/// A process that a test starts, exchanges lines with, and may kill. It is killed when the last reference to this object goes
/// away.
///
/// A thread reads the process's output and reaps the process as soon as it ends, whether or not the test waits for it. An
/// unreaped child would keep Swift Testing's exit tests, which wait for any child, from ever ending.
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
    ///   - environment: Variables in addition to those of this process.
    ///   - mergesErrors: Whether its error output counts as output. Otherwise it goes to the error output of this process.
    ///   - onOutput: Runs on another thread after new lines, and at the end of the output.
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
        // A crash is a valid result here, so a backtrace would only cost time.
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

    /// Returns the next line of output; nil at the end of the output, or after a timeout.
    package func nextLine(seconds: Double = 240) -> String? { report.nextLine(seconds: seconds) }

    /// Returns all lines so far that ``nextLine(seconds:)`` has not returned.
    package func linesSoFar() -> [String] { report.linesSoFar() }

    /// Returns all remaining lines, to the end of the output. The process must be about to end.
    package func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        return lines
    }

    /// Sends a line to the process. A line to a process that has ended is lost.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Ends the input of the process, which then reads no further line.
    package func endInput() { Glibc.shutdown(input, Int32(SHUT_WR)) }

    /// Ends the process without a chance to clean up.
    package func kill() { report.kill(processID) }

    /// Waits until the process has ended, which it must be about to do.
    ///
    /// - Returns: How it ended.
    /// - Throws: ``StillRuns`` after a timeout.
    @discardableResult
    package func wait(seconds: Double = 240) throws -> End {
        guard let end = report.end(seconds: seconds) else { throw StillRuns(processID: processID) }
        return end
    }

    deinit {
        kill()
        Glibc.close(input)
    }

    /// Creates two connected sockets. Unlike a pipe, a socket is close-on-exec from the start, so no other child of this process
    /// inherits it and keeps the input open. Also, a write after the other end closes raises no signal.
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
