import Foundation
import Glibc
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@testable import StoreCommands

/// `watch` on a terminal: a table that is updated in place.
@Suite("Live tables", .timeLimit(.minutes(TestLength.waitMinutes))) struct LiveTableTests {
    private static func start(_ tool: Tool, _ terminal: PseudoTerminal, _ arguments: String...) throws -> Follower {
        Follower(
            try tool.start(
                ["watch"] + arguments, input: terminal.handle, output: terminal.handle, environment: ["TERM": "xterm"]))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `Rows change in place, and the cursor is back at the end`(_ signal: Int32) throws {
        let tool = try Sample.tool()
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let watcher = try Self.start(tool, terminal, "Sensor", "--sort", "celsius", "--fields", "id,celsius,note")
        try terminal.wait("the rows") {
            $0.lines == [
                "Sensor: 3 rows at position 6", "id  celsius  note", "--  -------  ----",
                "s2     -inf", "s3     20.5  a, b", "s1     21.5",
            ]
        }
        #expect(!terminal.screen.isCursorVisible)
        try tool.run("set", "Sensor", "s1", "celsius=-3")
        try terminal.wait("the order") { $0.lines.dropFirst(3) == ["s2     -inf", "s1     -3.0", "s3     20.5  a, b"] }
        try tool.run("delete", "Sensor", "s2")
        try terminal.wait("two rows") {
            $0.lines == [
                "Sensor: 2 rows at position 8", "id  celsius  note", "--  -------  ----", "s1     -3.0",
                "s3     20.5  a, b",
            ]
        }
        let run = try watcher.end(signal)
        #expect(run.status == 0 && run.errors.isEmpty)
        terminal.takeRest()
        #expect(terminal.screen.isCursorVisible)
        #expect((terminal.screen.row, terminal.screen.column) == (5, 0), "below the table")
        #expect(terminal.screen.mistakes.isEmpty, "\(terminal.screen.mistakes)")
    }

    @Test(arguments: OutputFormat.allCases) func `A stored text does not control the terminal`(
        format: OutputFormat
    ) throws {
        let tool = try Sample.empty()
        // An escape sequence, the same in one character, a change of direction, and the end of a line.
        let text = "a\u{1B}[2Jb\u{9B}31mc\u{202E}d\r\u{85}e"
        try tool.run("insert", "Log", JSONWriter.text(of: .object([JSONMember("text", .string(text))])))
        let terminal = try PseudoTerminal(columns: 200, rows: 12)
        let run = try tool.start(
            ["query", "Log", "--output", format.rawValue], input: terminal.handle, output: terminal.handle,
            environment: ["TERM": "xterm"])
        #expect(try run.finish().status == 0)
        terminal.takeRest()
        #expect(terminal.screen.mistakes.isEmpty, "\(terminal.screen.mistakes)")
        #expect(!terminal.bytes.contains(0x1B))
        let written = String(decoding: terminal.bytes, as: UTF8.self)
        #expect(!written.unicodeScalars.contains { ["\u{9B}", "\u{85}", "\u{202E}"].contains($0) }, "\(written)")
        #expect(written.contains("[2Jb") && written.contains("31mc"))
        // A pipe receives the text itself.
        let piped = try tool.run("query", "Log", "--output", "csv").output
        #expect(piped.contains(text))
    }

    @Test func `It is drawn ten times a second at most, and always comes to the newest`() throws {
        let tool = try Sample.empty()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let terminal = try PseudoTerminal(columns: 40, rows: 10)
        let watcher = try Self.start(tool, terminal, "Log")
        try terminal.wait("no rows") { $0.lines.first?.hasPrefix("Log: 0 rows") ?? false }
        let begin = Date()
        for number in 1...500 { try store.write { try Sample.putLog(number, in: &$0) } }
        // The first line can arrive before the rest of its drawing.
        try terminal.wait("all rows") {
            $0.lines.first?.hasPrefix("Log: 500 rows") ?? false && $0.lines.last == "… 494 more"
        }
        let seconds = Date().timeIntervalSince(begin)
        let drawings = terminal.bytes.split(separator: Array("\u{1B}[H".utf8)).count
        #expect(Double(drawings) <= seconds * 10 + 3, "\(drawings) drawings in \(seconds) seconds")
        #expect(terminal.screen.mistakes.isEmpty, "\(terminal.screen.mistakes)")
        #expect(try watcher.end().status == 0)
    }

    @Test func `It is drawn anew when the terminal's size changes, and after it was stopped`() throws {
        let tool = try Sample.tool()
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let watcher = try Self.start(tool, terminal, "Sensor", "--fields", "id,room")
        try terminal.wait("the rows") { $0.lines.last == "s3  hall" }
        terminal.resize(columns: 10, rows: 5)
        watcher.kill(SIGWINCH)
        try terminal.wait("a small table") {
            $0.lines == ["Sensor: …", "id  room", "--  ----…", "s1  kitc…", "… 2 more"]
        }
        #expect(terminal.screen.mistakes.isEmpty, "\(terminal.screen.mistakes)")
        watcher.kill(SIGTSTP)
        try terminal.wait("the cursor") { $0.isCursorVisible }
        try watcher.waitUntilStopped()
        terminal.resize(columns: 60, rows: 12)
        watcher.kill(SIGCONT)
        try terminal.wait("the rows again") { $0.lines.last == "s3  hall" }
        #expect(try watcher.end().status == 0)
        terminal.takeRest()
        #expect(terminal.screen.isCursorVisible)
    }

    @Test(arguments: [SIGWINCH, SIGTSTP])
    func `A terminal that was stopped in the middle of a drawing does not keep a signal from ending it`(
        _ signal: Int32
    )
        throws
    {
        let tool = try Sample.tool()
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let watcher = try Self.start(tool, terminal, "Sensor", "--fields", "id,room")
        try terminal.wait("the rows") { $0.lines.last == "s3  hall" }
        terminal.stop()
        // The signal causes a write, which blocks from here on.
        watcher.kill(signal)
        try watcher.waitUntilTaken(signal)
        watcher.kill(SIGTERM)
        try watcher.waitUntilTaken(SIGTERM)
        // The command ends at once.
        #expect(try watcher.end(SIGTERM).status == 0)
    }

    @Test func `It leaves the cursor as it was when it fails`() throws {
        let tool = try Sample.tool()
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let watcher = try Self.start(tool, terminal, "Log", "--fields", "number,text")
        try terminal.wait("the rows") { $0.lines.last == "     1  begun" }
        let old = #"{"name": "text", "type": "string"}"#
        let new = #"{"name": "message", "type": "string?"}"#
        try tool.write("new.json", Sample.schema.replacingOccurrences(of: old, with: new))
        let migrated = try tool.run("migrate", "--schema", "new.json")
        #expect(migrated.status == 0, "\(migrated.errors)")
        #expect(try tool.run("insert", "Log", #"{"message": "later"}"#).status == 0)
        let run = try watcher.started.finish()
        #expect(run.status == 64)
        #expect(run.errors.contains("Log has no field text"), "\(run.errors)")
        terminal.takeRest()
        #expect(terminal.screen.isCursorVisible)
    }

    @Test func `Whatever a terminal's size, nothing scrolls and nothing reaches its edge`() async throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        var updates = store.updates(of: Request(), typeNamed: "Sensor").makeAsyncIterator()
        let update = try #require(try await updates.next())
        for columns in [1, 2, 3, 5, 8, 20, 79, 200] {
            for rows in 1...8 {
                let size = TerminalSize(columns: columns, rows: rows)
                var drawing = try LiveTableDrawing(nil, update.rows, size)
                var screen = TerminalScreen(columns: columns, rows: rows)
                for _ in 0..<2 {
                    // Line ends as the terminal's driver writes them.
                    screen.write(try drawing.text(update).replacingOccurrences(of: "\n", with: "\r\n").utf8)
                }
                if columns > 1 { #expect(screen.mistakes.isEmpty, "\(columns) x \(rows): \(screen.mistakes)") }
                #expect(screen.isWhole)
            }
        }
    }
}
