import Foundation
import Glibc
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// `watch` next to writing processes: interrupted, killed, and with its output closed.
@Suite("Watching", .timeLimit(.minutes(TestLength.waitMinutes))) struct WatchTests {
    private static func start(_ tool: Tool, _ arguments: String...) throws -> Follower {
        Follower(try tool.start(["watch"] + arguments + ["--output", "jsonl"]))
    }

    /// Returns the rows that `query` prints with the same options.
    private static func rows(_ tool: Tool, _ arguments: [String]) throws -> [JSONValue] {
        let run = try tool.run(["query"] + arguments + ["--output", "jsonl"])
        return try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
    }

    private static func insert(_ tool: Tool, _ id: String, _ celsius: Double) throws {
        let record = #"{"id":"\#(id)","room":"hall","serial":"\#(id)","celsius":\#(celsius),"tags":[]}"#
        #expect(try tool.run("upsert", "Sensor", record).status == 0)
    }

    @Test(arguments: [
        ["Sensor"], ["Sensor", "--sort", "celsius", "--limit", "3", "--offset", "1"],
        ["Sensor", "--where", "celsius > 50", "--sort", "-celsius,id"],
        ["Sensor", "--where", "room == 'hall'", "--fields", "id,celsius"],
    ]) func `Applied to the first rows, the lines give what a query gives, whoever writes`(_ wanted: [String]) throws {
        let seed = UInt64(wanted.count)
        var random = TestRandom(seed: seed)
        let tool = try Sample.tool()
        let watcher = Follower(try tool.start(["watch"] + wanted + ["--output", "jsonl"]))
        if wanted.count != 5 { _ = try watcher.lines { _ in true } }
        for _ in 0..<30 {
            let id = "s\(Int.random(in: 1...9, using: &random))"
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try tool.run("delete", "Sensor", id)
            case 1: try tool.run("set", "Sensor", id, "note=\(Int.random(in: 0...9, using: &random))")
            case 2: try tool.run("set", "Sensor", id, "room=\(Bool.random(using: &random) ? "hall" : "bath")")
            default: try Self.insert(tool, id, Double(Int.random(in: 0...100, using: &random)))
            }
        }
        // Every request matches the last record.
        try Self.insert(tool, "last", 60)
        try tool.run("set", "Sensor", "last", "room=hall", "celsius=60.5")
        let expected = try Self.rows(tool, wanted)
        let limit = Date() + 60
        var found: [JSONValue] = []
        // The watcher may print several steps until its rows are the expected ones.
        while Date() < limit {
            found = try WatchedRows(try watcher.lines()).rows
            if found == expected { break }
            usleep(20_000)
        }
        #expect(found == expected, "seed \(seed)")
        let run = try watcher.end()
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }

    @Test func `Writers that are killed show all that they did, or nothing`() throws {
        let tool = try Sample.tool()
        let watcher = try Self.start(tool, "Log")
        try tool.write("many.jsonl", (0..<3_000).map { "{\"number\": \(100 + $0), \"text\": \"x\"}\n" }.joined())
        var random = TestRandom(seed: 5)
        for _ in 0..<6 {
            let writer = try tool.start(["import", "Log", "many.jsonl"])
            // There is no event to wait for, so the moment is random.
            usleep(UInt32.random(in: 0...200_000, using: &random))
            kill(writer.process.processIdentifier, SIGKILL)
            writer.process.waitUntilExit()
        }
        #expect(try tool.run("import", "Log", "many.jsonl").status == 0)
        #expect(try tool.run("insert", "Log", #"{"number": 9999, "text": "end"}"#).status == 0)
        let lines = try watcher.lines { $0["id"]?.number?.int64 == 9_999 }
        #expect(try WatchedRows(lines).rows == Self.rows(tool, ["Log"]))
        // The watcher saw no partial commit: all rows have the same position.
        let positions = Set(
            lines.filter { $0["kind"] == .string("insert") }.compactMap { $0["position"]?.number?.int64 })
        #expect(positions.count <= 2)
        #expect(try watcher.end(SIGTERM).status == 0)
    }

    @Test func `It ends after as many updates as are wanted`() throws {
        let tool = try Sample.tool()
        let watcher = try Self.start(tool, "Seat", "--updates", "2")
        _ = try watcher.lines { _ in true }
        #expect(try tool.run("insert", "Log", #"{"text": "of no interest"}"#).status == 0)
        #expect(try tool.run("set", "Seat", "[\"a,b\", 3]", "taken=true").status == 0)
        _ = try watcher.lines { $0["kind"] == .string("update") }
        #expect(try tool.run("delete", "Seat", "[\"a,b\", 3]").status == 0)
        let run = try watcher.started.finish()
        #expect(run.status == 0 && run.errors.isEmpty)
        let lines = try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(lines.map { $0["kind"]?.string } == ["snapshot", "update", "delete"])
        #expect(lines.positions == [6, 8, 9])
        #expect(lines[1]["changed"] == .array([.string("taken")]))
        #expect(lines[2]["id"] == .array([.string("a,b"), .number(JSONNumber(3))]))
    }

    @Test func `However much changes at once, each change has its line and the step is one update`() throws {
        let tool = try Sample.empty()
        func put(_ count: Int, _ celsius: (Int) -> Int) throws {
            let lines = (0..<count).map { number in
                #"{"id":"s\#(number)","room":"r","serial":"\#(number)","celsius":\#(celsius(number)),"tags":[]}"# + "\n"
            }
            try tool.write("rows.jsonl", lines.joined())
            #expect(try tool.run("import", "Sensor", "rows.jsonl").status == 0)
        }
        try put(20) { $0 }
        let ordered = ["Sensor", "--sort", "-celsius,id", "--limit", "20"]
        let watcher = Follower(try tool.start(["watch"] + ordered + ["--output", "jsonl", "--updates", "3"]))
        _ = try watcher.lines { $0["id"]?.string == "s0" }
        // Every row changes and two rows move, so there are more changes than rows.
        try put(20) { $0 == 0 ? 100 : $0 == 1 ? 90 : $0 + 1 }
        let middle = try watcher.lines { $0["kind"] != .string("snapshot") && $0["id"]?.string == "s2" }
        #expect(middle.count { $0["kind"] == .string("move") } == 2)
        #expect(middle.count { $0["kind"] == .string("update") } == 20)
        #expect(try WatchedRows(middle).rows == Self.rows(tool, ordered))
        #expect(try tool.run("delete", "Sensor", "--where", "celsius < 19", "--yes").status == 0)
        _ = try watcher.lines { $0["kind"] == .string("delete") }
        #expect(try tool.run("delete", "Sensor", "--where", "true", "--yes").status == 0)
        let run = try watcher.started.finish()
        #expect(run.status == 0 && run.errors.isEmpty)
        let lines = try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(try WatchedRows(lines).rows.isEmpty)
        #expect(lines.count { $0["kind"] == .string("delete") } == 20)
    }

    @Test
    func `With --fields an update names these fields alone, and one that only moved its row has no line of its own`()
        throws
    {
        let tool = try Sample.tool()
        let watcher = try Self.start(
            tool, "Sensor", "--fields", "note,address.city", "--sort", "celsius", "--updates", "2")
        _ = try watcher.lines { $0["id"]?.string == "s1" }
        #expect(try tool.run("set", "Sensor", "s2", "celsius=99").status == 0)
        _ = try watcher.lines { $0["kind"] == .string("move") }
        #expect(try tool.run("set", "Sensor", "s2", "celsius=98", "note=x", "room=attic").status == 0)
        let run = try watcher.started.finish()
        let lines = try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(lines.map { $0["kind"]?.string } == ["snapshot", "snapshot", "snapshot", "move", "update"])
        #expect(lines.last?["changed"] == .array([.string("note")]))
    }

    @Test func `The fields that are asked for stay the same ones when a migration takes another away`() throws {
        let tool = try Sample.empty()
        func migrate(_ fields: [String]) throws {
            let others = fields.map { #", {"name": "\#($0)", "type": "int64", "default": {"value": 0}}"# }.joined()
            let id = #"{"name": "id", "type": "string"}"#
            try tool.write(
                "types.json", #"{"types": [{"name": "T", "id": ["id"], "fields": [\#(id)\#(others)]}]}"#)
            let run = try tool.run("migrate", "--schema", "types.json")
            #expect(run.status == 0, "\(run.errors)")
        }
        try migrate(["a", "b", "c"])
        #expect(try tool.run("insert", "T", #"{"id":"x"}"#).status == 0)
        let watcher = try Self.start(tool, "T", "--fields", "c", "--updates", "2")
        _ = try watcher.lines { _ in true }
        try migrate(["b", "c"])
        #expect(try tool.run("set", "T", "x", "c=1").status == 0)
        _ = try watcher.lines { $0["row"]?["c"] == .number(JSONNumber(1)) }
        #expect(try tool.run("set", "T", "x", "b=1").status == 0)
        #expect(try tool.run("set", "T", "x", "c=2").status == 0)
        let run = try watcher.started.finish()
        let lines = try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(lines.map { $0["kind"]?.string } == ["snapshot", "update", "update"])
        #expect(lines.dropFirst().map { $0["row"]?["c"]?.number?.int64 } == [1, 2])
        // The update does not name the change of the other field.
        #expect(lines.last?["changed"] == .array([.string("c")]))
    }

    @Test func `A migration of the type shows in the rows from then on`() throws {
        let tool = try Sample.tool()
        let watcher = try Self.start(tool, "Log")
        _ = try watcher.lines { _ in true }
        let new = #"{"name": "text", "type": "string"}, {"name": "level", "type": "int32?"}"#
        try tool.write(
            "new.json", Sample.schema.replacingOccurrences(of: #"{"name": "text", "type": "string"}"#, with: new))
        let migrated = try tool.run("migrate", "--schema", "new.json")
        #expect(migrated.status == 0, "\(migrated.errors)")
        #expect(try tool.run("insert", "Log", #"{"text": "later", "level": 3}"#).status == 0)
        let lines = try watcher.lines { $0["row"]?["text"] == .string("later") }
        #expect(lines.last?["row"]?["level"]?.number?.int64 == 3)
        #expect(try watcher.end().status == 0)
    }

    @Test func `It holds no lock and no snapshot while it waits`() throws {
        let tool = try Sample.tool()
        let watcher = try Self.start(tool, "Log")
        _ = try watcher.lines { _ in true }
        try tool.waitUntilNobodyReads()
        #expect(try tool.run("insert", "Log", "{\"text\": \"x\"}").status == 0)
        _ = try watcher.lines(upTo: 7)
        #expect(try watcher.end().status == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can run a command as another user"))
    func `Whoever may only read the store can watch it`() throws {
        let tool = try Sample.tool()
        let watcher = try Follower(onlyReading: tool, ["watch", "Log", "--output", "jsonl"])
        _ = try watcher.lines { _ in true }
        for number in 0..<5 { #expect(try tool.run("insert", "Log", "{\"text\": \"\(number)\"}").status == 0) }
        #expect(try WatchedRows(try watcher.lines(upTo: 11)).rows.count == 6)
        #expect(try watcher.end().status == 0)
    }

    @Test func `It ends quietly when nobody reads its output, also while nothing is written`() throws {
        let tool = try Sample.tool()
        #expect(try tool.firstLine(of: "watch Log --output jsonl").hasPrefix(#"{"kind":"snapshot""#))
    }

    @Test func `An interrupt ends it although its reader takes nothing`() throws {
        let tool = try Sample.empty()
        try tool.write("many.jsonl", (0..<5_000).map { "{\"text\": \"line \($0)\"}\n" }.joined())
        try tool.run("import", "Log", "many.jsonl")
        // More data than the pipe can hold.
        let pipe = Pipe()
        let started = try tool.start(["watch", "Log", "--output", "jsonl"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        _ = pipe.fileHandleForReading.readData(ofLength: 1)
        let begin = Date()
        let run = try Follower(started).end()
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(Date().timeIntervalSince(begin) < 30)
        try pipe.fileHandleForReading.close()
    }
}
