import Foundation
import Glibc
import StoreEngine
import Testing

/// A command that goes on for ever, as `feed --follow` and `watch` do, in a process of its own, whose output goes to a file.
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

    /// The whole lines that it has written.
    func lines() throws -> [JSONValue] {
        let text = try Data(contentsOf: URL(filePath: started.files + ".out"))
        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return try text[...end].split(separator: UInt8(ascii: "\n")).map { try JSONReader.read(Array($0)) }
    }

    /// Waits until it has written a line that `condition` holds for, and gives all its lines.
    func lines(until condition: (JSONValue) throws -> Bool) throws -> [JSONValue] {
        var found: [JSONValue] = []
        try wait {
            found = try lines()
            return try found.last.map(condition) ?? false
        }
        return found
    }

    /// Waits until `condition` holds for all that it has written.
    func waitForOutput(until condition: (String) throws -> Bool) throws {
        try wait { try condition(try String(contentsOfFile: started.files + ".out", encoding: .utf8)) }
    }

    private func wait(until condition: () throws -> Bool) throws {
        let limit = Date() + 60
        while Date() < limit {
            if try condition() { return }
            usleep(20_000)
        }
        kill(SIGKILL)
        let errors = try String(contentsOfFile: started.files + ".err", encoding: .utf8)
        throw Late(description: "it has written \(try lines().count) lines; \(errors)")
    }

    /// Waits for the change set with this number, and gives all lines.
    func lines(upTo sequence: UInt64) throws -> [JSONValue] {
        try lines { $0["position"]?.number?.int64 ?? 0 >= Int64(sequence) }
    }

    /// Sends a signal.
    func kill(_ signal: Int32) { _ = Glibc.kill(started.process.processIdentifier, signal) }

    /// Waits until the process is stopped: a signal that continues it before that is lost.
    func waitUntilStopped() throws {
        let path = "/proc/\(started.process.processIdentifier)/stat"
        let limit = Date() + 60
        while Date() < limit {
            // The state stands behind the name, which is in parentheses.
            let words = try String(contentsOfFile: path, encoding: .utf8).split(separator: ")").last ?? ""
            if words.hasPrefix(" T") { return }
            sched_yield()
        }
        Issue.record("the process does not stop")
    }

    /// Sends a signal and waits for the end.
    func end(_ signal: Int32 = SIGINT) throws -> Tool.Run {
        kill(signal)
        return try started.finish()
    }
}

extension [JSONValue] {
    /// The positions of lines of the feed.
    var positions: [Int64] { compactMap { $0["position"]?.number?.int64 } }
}
