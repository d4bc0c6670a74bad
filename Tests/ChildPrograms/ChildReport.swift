import Foundation
import Glibc

/// The state of a child process: its lines of output, and how it ended.
///
/// `state` is protected by `condition`, which makes it safe to share.
final class ChildReport: @unchecked Sendable {
    private struct State {
        var lines: [String] = []
        var taken = 0
        var isAtEnd = false
        var end: ChildProcess.End?
    }

    private let condition = NSCondition()
    private var state = State()
    private let onOutput: (@Sendable () -> Void)?

    init(onOutput: (@Sendable () -> Void)?) { self.onOutput = onOutput }

    /// Returns the next line; nil at the end of the output, or after a timeout.
    func nextLine(seconds: Double) -> String? {
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

    /// Returns all lines so far that have not been returned.
    func linesSoFar() -> [String] {
        condition.withLock {
            defer { state.taken = state.lines.count }
            return Array(state.lines[state.taken...])
        }
    }

    /// Returns how the process ended; nil if it still runs after the timeout.
    func end(seconds: Double) -> ChildProcess.End? {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while state.end == nil {
            guard condition.wait(until: deadline) else { return nil }
        }
        return state.end
    }

    /// Kills the process unless it has ended, because another process may then have its number.
    func kill(_ processID: pid_t) {
        condition.withLock { if state.end == nil { _ = Glibc.kill(processID, SIGKILL) } }
    }

    /// Reads everything from a descriptor, and closes it.
    func readLines(_ output: Int32) {
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
            onOutput?()
        }
        Glibc.close(output)
        condition.withLock {
            // A line that a kill cut short does not count.
            state.isAtEnd = true
            condition.broadcast()
        }
        onOutput?()
    }

    /// Waits for the end of the process and reaps it.
    func reap(_ processID: pid_t) {
        var information = unsafe siginfo_t()
        // Leaves the process unreaped, so that no other process gets its number before `end` is set.
        while unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        condition.withLock {
            var status: Int32 = 0
            while unsafe waitpid(processID, &status, 0) == -1, errno == EINTR {}
            let signal = status & 0x7F
            state.end = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
            condition.broadcast()
        }
    }
}
