import Foundation
import TestSupport
import Testing

/// Hostile input causes one line of error and a failure status, and changes nothing.
@Suite("Hostile input") struct HostileInputTests {
    /// The inputs, by name.
    static let inputs: [(name: String, bytes: [UInt8])] = {
        var random = TestRandom(seed: 7)
        let garbage = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let deep = String(repeating: #"{"a":"#, count: 100_000)
        let wide = #"{"id": ""# + String(repeating: "x", count: 1 << 20) + #"", "room""#
        return [
            ("garbage", garbage), ("deep objects", Array(deep.utf8)),
            ("deep arrays", [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)),
            ("zeros", [UInt8](repeating: 0, count: 100_000)),
            ("a zero in a text", Array("{\"id\": \"a\0b\"}\n".utf8)),
            ("half a sequence", Array("{\"id\": \"".utf8) + [0xC3] + Array("\"}\n".utf8)),
            ("an unclosed quote", Array("id,room\n\"a,b\n".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)),
            ("half a record", Array(wide.utf8)), ("a lone surrogate", Array(#"{"id": "\ud800"}"#.utf8)),
            ("carriage returns", Array(String(repeating: "\r", count: 10_000).utf8)),
        ]
    }()

    @Test(arguments: inputs.map(\.name)) func `A bad file is refused`(name: String) throws {
        let bytes = try #require(Self.inputs.first { $0.name == name }).bytes
        let tool = try Sample.tool()
        let before = try tool.run("export").output
        try tool.write("bad", bytes)
        for arguments in [
            ["import", "Sensor", "bad", "--format", "jsonl"], ["import", "Sensor", "bad", "--format", "csv"],
            ["import", "New", "bad", "--format", "jsonl", "--id", "id"],
            ["import", "New", "bad", "--format", "csv", "--id", "nothing"], ["create", "--schema", "bad"],
            ["--store", "other", "create", "--schema", "bad"], ["import", "bad", "--format", "jsonl"],
        ] {
            let run = try tool.run(arguments)
            #expect([64, 65].contains(run.status), "\(arguments) ended with \(run.status)")
            #expect(run.output == "")
            #expect(run.errors.hasPrefix("error: "))
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(run.errors.utf8.count < 4_000, "\(run.errors.prefix(4_000))")
            #expect(!run.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        }
        #expect(try tool.run("export").output == before)
        #expect(!FileManager.default.fileExists(atPath: tool.path("other")))
    }

    @Test func `A line without an end does not fill the memory`() throws {
        let tool = try Sample.tool()
        try tool.write("big", [UInt8](repeating: 0x61, count: 70 << 20) + [0x0A])
        let end = try tool.run("import", "Sensor", "big", "--format", "jsonl", "--on-error", "skip")
        #expect(end.status == 0)
        #expect(end.errors.contains("line 1: the line has more than 67108864 bytes"), "\(end.errors.prefix(300))")
    }

    @Test func `Names that are no names`() throws {
        let tool = try Sample.tool()
        for name in ["", " ", "\u{200B}"] {
            let run = try tool.run("query", name)
            let shown = name == "\u{200B}" ? #"\u{200B}"# : name
            #expect(run.status == 64 && run.errors.contains("no record type \"\(shown)\"; it has Log"), "\(run)")
            let created = try tool.run("consumers", "create", name, "--at", "newest")
            #expect(created.status == 65, "\(created)")
        }
        for name in ["", "\u{1B}[31m", String(repeating: "x", count: 10_000), "a\nb", "../x"] {
            let run = try tool.run("get", name, name)
            #expect(run.status == 64)
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(!run.errors.contains("\u{1B}"))
        }
    }

    @Test(arguments: ["", " ", "\t\n", "\u{200B}", "\u{2060} \u{AD}"])
    func `An empty or blank path is an error of its own in every command that takes a path`(path: String) throws {
        let tool = try Sample.tool()
        #expect(try tool.run("record", "day.trace").status == 0)
        let files = try FileManager.default.subpathsOfDirectory(atPath: tool.folder).sorted()
        var commands = [
            ["record", path], ["record", path, "--replace"], ["replay", path], ["replay", "day.trace", "--into", path],
            ["backup", path], ["compact", path], ["restore", path], ["import", "Sensor", path],
            ["import", "Sensor", path, "--format", "csv"], ["import", path], ["migrate", "--schema", path],
            ["--store", "new", "create", "--schema", path],
            ["--store", "new", "import", "Sensor", "sensors.jsonl", "--create", "--schema", path],
        ]
        // An empty text names no store, as without the option.
        if !path.isEmpty {
            commands += [["--store", path, "stat"], ["--store", path, "create", "--schema", "schema.json"]]
        }
        for command in commands {
            let run = try tool.run(command)
            #expect(run.status == 65, "\(command): \(run)")
            let text = path.isEmpty ? "empty" : "blank"
            let end = " is \(text); name a file or a directory\n"
            let isNamed = run.errors.hasPrefix("error: the path of the ") && run.errors.hasSuffix(end)
            #expect(isNamed, "\(command): \(run)")
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: tool.folder).sorted() == files)
    }

    @Test(arguments: ["lock.mdb", "feed.wake", "redo.log", "redo.checkpoint"])
    func `No command makes a store over a file of another program`(name: String) throws {
        let tool = try Sample.tool()
        #expect(try tool.run("record", "day.trace").status == 0)
        try FileManager.default.createDirectory(atPath: tool.path("taken"), withIntermediateDirectories: false)
        try tool.write("taken/" + name, "precious\n")
        for command in [
            ["--store", "taken", "create", "--schema", "schema.json"], ["backup", "taken"], ["compact", "taken"],
            ["--store", "taken", "import", "Sensor", "sensors.jsonl", "--create", "--schema", "schema.json"],
            ["--store", "taken", "restore", "store"], ["replay", "day.trace", "--into", "taken"],
        ] {
            let run = try tool.run(command)
            let isNamed = run.errors.contains(
                "taken holds no store, but other files: \(name); choose an empty directory")
            #expect(run.status == 66 && isNamed, "\(command): \(run)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("taken")) == [name])
            #expect(try String(contentsOfFile: tool.path("taken/" + name), encoding: .utf8) == "precious\n")
        }
    }

    @Test func `Values cannot control the terminal`() throws {
        let tool = try Sample.tool()
        let run = try tool.run("set", "Sensor", "s1", "note=\u{1B}]0;title\u{7}\u{202E}")
        #expect(run.output.contains(#"\u{1B}]0;title\u{7}\u{202E}"#))
        #expect(!run.output.contains("\u{1B}"))
    }
}
