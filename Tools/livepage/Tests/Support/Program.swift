import Foundation
import Glibc

/// A program that a test runs, and whose lines it reads. The program is killed when this object is released.
///
/// This class is safe to share: `condition` protects `lines` and `status`, and the process is used by Foundation's rules.
final class Program: @unchecked Sendable {
    private let process = Process()
    private let condition = NSCondition()
    private var lines: [String] = []
    private var taken = 0
    private var status: Int32?

    /// Starts a program.
    init(_ path: String, _ arguments: [String]) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [weak self] process in
            self?.condition.withLock {
                self?.status = process.terminationStatus
                self?.condition.broadcast()
            }
        }
        try process.run()
        Thread.detachNewThread { [weak self] in
            while let line = output.fileHandleForReading.line() {
                guard let self else { return }
                condition.withLock {
                    lines.append(line)
                    condition.broadcast()
                }
            }
        }
    }

    deinit { kill() }

    var processID: pid_t { process.processIdentifier }

    /// All lines that the program has written.
    var output: [String] { condition.withLock { lines } }

    /// Returns the first group of a pattern in the next line that matches it.
    func next<Output>(_ pattern: Regex<(Output, Substring)>, seconds: Double = 30) throws -> String {
        let limit = Date(timeIntervalSinceNow: seconds)
        return try condition.withLock {
            while true {
                while taken < lines.count {
                    taken += 1
                    if let match = try pattern.firstMatch(in: lines[taken - 1]) { return String(match.output.1) }
                }
                guard status == nil, condition.wait(until: limit) else {
                    throw TooLate(what: "the line that is waited for; there were \(lines)")
                }
            }
        }
    }

    /// Asks the program to end.
    func terminate() { process.terminate() }

    /// Ends the program without a chance to clean up.
    func kill() { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

    /// Waits until the program has ended.
    ///
    /// - Returns: its exit status, or the signal that ended it.
    func wait(seconds: Double = 30) throws -> Int32 {
        let limit = Date(timeIntervalSinceNow: seconds)
        return try condition.withLock {
            while true {
                if let status { return status }
                guard condition.wait(until: limit) else { throw TooLate(what: "the end of process \(processID)") }
            }
        }
    }
}

extension FileHandle {
    /// Returns the next line; nil at the end.
    fileprivate func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe Glibc.read(fileDescriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }
}
