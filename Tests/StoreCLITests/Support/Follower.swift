import Foundation
import Glibc
import StoreEngine
import Testing

/// A command that runs until it is stopped, such as `feed --follow` or `watch`, in its own process. Its output goes to a file.
struct Follower {
    let started: Tool.Started

    struct Late: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts `feed --follow` on a store.
    init(_ tool: Tool, _ arguments: String..., since: String) throws {
        started = try tool.start(["feed", "--follow", "--output", "jsonl", "--since", since] + arguments)
    }

    init(_ started: Tool.Started) { self.started = started }

    /// Starts a command as a user with read access only. Cancels the test if no such user can run it.
    init(onlyReading tool: Tool, _ command: [String]) throws {
        let setpriv = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let modes: [(String, mode_t)] = [
            ("", 0o755), ("/data.mdb", 0o444), ("/feed.wake", 0o444), ("/lock.mdb", 0o666),
            ("/redo.checkpoint", 0o444), ("/redo.log", 0o444),
        ]
        for (name, mode) in modes { #expect(unsafe chmod(tool.store + name, mode) == 0) }
        #expect(unsafe chmod(tool.folder, 0o755) == 0)
        let probe = try tool.start(setpriv + ["test", "-x", Tool.executable], program: "/usr/bin/env").finish()
        guard probe.status == 0 else { try Test.cancel("no other user may run \(Tool.executable)") }
        started = try tool.start(setpriv + [Tool.executable] + command, program: "/usr/bin/env")
    }

    /// Returns the complete lines that it has written.
    func lines() throws -> [JSONValue] {
        let text = try Data(contentsOf: URL(filePath: started.files + ".out"))
        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return try text[...end].split(separator: UInt8(ascii: "\n")).map { try JSONReader.read(Array($0)) }
    }

    /// Waits for a line that meets `condition`, and returns all lines.
    func lines(until condition: (JSONValue) throws -> Bool) throws -> [JSONValue] {
        var found: [JSONValue] = []
        try wait {
            found = try lines()
            return try found.last.map(condition) ?? false
        }
        return found
    }

    /// Waits until the complete output meets `condition`.
    func waitForOutput(until condition: (String) throws -> Bool) throws {
        try wait { try condition(try String(contentsOfFile: started.files + ".out", encoding: .utf8)) }
    }

    /// Waits until its standard error contains a text.
    func waitForErrors(containing text: String) throws {
        try wait { try String(contentsOfFile: started.files + ".err", encoding: .utf8).contains(text) }
    }

    /// Waits until a condition holds. A process gives no event for a write to a file.
    private func wait(until condition: () throws -> Bool) throws {
        let limit = Date() + 240
        while Date() < limit {
            if try condition() { return }
            usleep(20_000)
        }
        kill(SIGKILL)
        let errors = try String(contentsOfFile: started.files + ".err", encoding: .utf8)
        throw Late(description: "it has written \(try lines().count) lines; \(errors)")
    }

    /// Waits for the change set with this number, and returns all lines.
    func lines(upTo sequence: UInt64) throws -> [JSONValue] {
        try lines { $0["position"]?.number?.int64 ?? 0 >= Int64(sequence) }
    }

    /// Sends a signal.
    func kill(_ signal: Int32) { _ = Glibc.kill(started.process.processIdentifier, signal) }

    /// Waits until the process is stopped. A signal to continue it before that would be lost.
    func waitUntilStopped() throws {
        let path = "/proc/\(started.process.processIdentifier)/stat"
        let limit = Date() + 240
        while Date() < limit {
            // The state follows the name, which is in parentheses.
            let words = try String(contentsOfFile: path, encoding: .utf8).split(separator: ")").last ?? ""
            if words.hasPrefix(" T") { return }
            sched_yield()
        }
        Issue.record("the process does not stop")
    }

    /// Waits until the process has handled a signal.
    func waitUntilTaken(_ signal: Int32) throws {
        let path = "/proc/\(started.process.processIdentifier)/status"
        let limit = Date() + 240
        while Date() < limit {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let pending = lines.first { $0.hasPrefix("ShdPnd:") }?.split(separator: "\t").last ?? ""
            if let pending = UInt64(pending, radix: 16), pending >> (signal - 1) & 1 == 0 { return }
            sched_yield()
        }
        Issue.record("the process does not take up the signal")
    }

    /// Sends a signal and waits for the end.
    func end(_ signal: Int32 = SIGINT) throws -> Tool.Run {
        kill(signal)
        return try started.finish()
    }
}

extension Tool {
    /// Waits until no process holds a snapshot, so a follower has reached its wait.
    func waitUntilNobodyReads() throws {
        let limit = Date() + 240
        var readers = ""
        while Date() < limit {
            readers = try run("--output", "jsonl", "readers").output
            if !readers.contains("\"behind\":") || readers.contains("\"transaction\":null") { break }
        }
        #expect(readers.isEmpty || readers.contains("\"transaction\":null"), "\(readers)")
    }

    /// Runs a command whose reader closes the pipe after one line, and returns that line. The command must end by itself, without
    /// an error.
    func firstLine(of command: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "-c", "set -o pipefail; timeout 240 '\(Tool.executable)' \(command) 2>errors | head -n 1 >first",
        ]
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(["MODELSTORE_DIR": "store"]) { $1 }
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try String(contentsOfFile: path("errors"), encoding: .utf8) == "")
        return try String(contentsOfFile: path("first"), encoding: .utf8)
    }
}

extension [JSONValue] {
    /// The positions in lines of the feed.
    var positions: [Int64] { compactMap { $0["position"]?.number?.int64 } }
}
