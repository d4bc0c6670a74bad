import Foundation
import Glibc

/// A process that a test starts, talks to line by line, and may kill.
///
/// A thread of its own reads what the process says. `state` is protected by `condition`; all else is constant, which is
/// what makes it safe to share.
final class ChildProcess: @unchecked Sendable {
    /// How a process ended.
    enum End: Hashable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    private struct State {
        var lines: [String] = []
        var taken = 0
        var isAtEnd = false
        var end: End?
    }

    let processID: pid_t
    private let input: Int32
    private let condition = NSCondition()
    private var state = State()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: variables besides those of this process.
    ///   - mergesErrors: whether its error output counts as output; otherwise it goes where that of this process goes.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], mergesErrors: Bool = false
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
        Thread.detachNewThread { [self, output = fromChild.own] in readLines(output) }
    }

    /// The next line that the process says; nil at the end of its output, or when it says nothing for so long.
    func nextLine(seconds: Double = 60) -> String? {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while state.taken == state.lines.count, !state.isAtEnd {
            guard condition.wait(until: deadline) else { return nil }
        }
        guard state.taken < state.lines.count else { return nil }
        defer { state.taken += 1 }
        return state.lines[state.taken]
    }

    /// All lines until now that ``nextLine(seconds:)`` has not given yet.
    func linesSoFar() -> [String] {
        condition.withLock {
            defer { state.taken = state.lines.count }
            return Array(state.lines[state.taken...])
        }
    }

    /// All lines not given yet, to the end of the output. The process must be about to end.
    func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        return lines
    }

    /// Says a line to the process. A process that is gone does not hear it.
    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Ends the process without a chance to clean up.
    func kill() {
        // Once it was waited for, its number may be another's.
        condition.withLock { if state.end == nil { _ = Glibc.kill(processID, SIGKILL) } }
    }

    /// Waits until the process has ended.
    @discardableResult
    func wait() -> End {
        if let end = condition.withLock({ state.end }) { return end }
        var information = unsafe siginfo_t()
        // Leaves the process as it is, so that nobody else gets its number before `end` is set.
        while unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return condition.withLock {
            if let end = state.end { return end }
            var status: Int32 = 0
            while unsafe waitpid(processID, &status, 0) == -1, errno == EINTR {}
            let signal = status & 0x7F
            let end = signal == 0 ? End.exit(status >> 8 & 0xFF) : End.signal(signal)
            state.end = end
            return end
        }
    }

    deinit {
        Glibc.close(input)
    }

    private func readLines(_ output: Int32) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            pending += buffer[..<count]
            let parts = pending.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            pending = Array(parts.last ?? [])
            condition.withLock {
                state.lines += parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
                condition.broadcast()
            }
        }
        Glibc.close(output)
        condition.withLock {
            // A line that a kill cut short was not said.
            state.isAtEnd = true
            condition.broadcast()
        }
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
