import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// A store of an older format stays one, whatever `store-cli` does to it, until `upgrade` or `redo-log` is asked to change it.
@Suite("Stores of older formats") struct OlderFormatTests {
    private static let old = Fixture.all.filter { $0.format < StoreFormat.version }
    /// Those without a redo log, which `upgrade` raises.
    private static let raisable = old.filter { $0.format < StoreFormat.versionWithLog }

    /// A command line and its exit status.
    struct Command: CustomTestStringConvertible {
        let words: [String]
        let status: Int32

        init(_ line: String, _ status: Int32 = 0) {
            words = line.split(separator: " ").map(String.init)
            self.status = status
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    /// Commands with the types of each fixture: those that write, that only try it, and that fail.
    private static let commands: [String: [Command]] = [
        "format-1-first": [
            Command("get Log 3"), Command("stat"), Command("types"), Command("verify"), Command("feed"),
            Command("set Seat a,0 taken=true", 1), Command("set Log 3 text=changed"), Command("set Log 3 nosuch=1", 64),
            Command("set Log 99999 text=x", 1), Command("set Log 3 --if text==\"x\" text=y", 1),
            Command(#"insert Log {"text":"new"}"#), Command(#"insert Log {"nosuch":1}"#, 65),
            Command(#"upsert Log {"number":3,"text":"again"}"#), Command("delete Log 3"),
            Command("delete Log 99999", 1), Command("delete Log --where text==\"nosuch\" --yes"),
            Command("undo newest --dry-run"), Command("undo newest"), Command("consumers delete nosuch", 1),
            Command("consumers list"), Command("migrate --schema same.json --dry-run"),
            Command("migrate --schema same.json"), Command("migrate --schema more.json --dry-run"),
            Command("migrate --schema more.json"), Command("migrate --schema broken.json", 65),
            Command("import Log log.jsonl"), Command("import Log broken.jsonl", 65), Command("backup copy"),
            Command("compact small"), Command("record trace.jsonl"), Command("redo-log off"),
            Command("upgrade --dry-run"), Command("upgrade --no-redo-log --dry-run"), Command("verify"),
        ],
        "format-2-migrated": [
            Command("get Item 0"), Command("stat"), Command("types"), Command("verify"),
            Command("set Item 0 count=5"), Command("set Item 0 nosuch=1", 64), Command("set Item 999999 count=5", 1),
            Command("set Item 0 --if count==77777 count=5", 1),
            Command(#"insert Item {"id":5000,"title":"new","count":1,"level":1}"#),
            Command("delete Item 5000"), Command("delete Item 999999", 1), Command("undo newest --dry-run"),
            Command("undo newest"), Command("consumers delete nosuch", 1),
            Command("migrate --schema same.json --dry-run"), Command("migrate --schema more.json"),
            Command("migrate --schema broken.json", 65), Command("backup copy"), Command("compact small"),
            Command("upgrade --dry-run"), Command("redo-log off"), Command("verify"),
        ],
    ]

    private static let more = """
        {"types": [{"name": "More", "id": ["id"], "fields": [{"name": "id", "type": "string"}],
          "indexes": []}]}
        """

    /// Creates a folder with the store of a fixture, and the files that the commands read.
    private func tool(_ fixture: Fixture) throws -> Tool {
        let tool = try Tool()
        try fixture.unpack(to: tool.store)
        try tool.write("same.json", try fixture.text("schema.json"))
        try tool.write("more.json", Self.more)
        try tool.write("broken.json", "{")
        try tool.write("log.jsonl", #"{"text": "imported"}"# + "\n")
        try tool.write("broken.jsonl", "{")
        return tool
    }

    @Test(arguments: raisable) func `No command but upgrade and redo-log changes the format`(fixture: Fixture) throws {
        let tool = try tool(fixture)
        let commands = try #require(Self.commands[fixture.name], "no commands for \(fixture)")
        for command in commands {
            let run = try tool.run(command.words)
            #expect(run.status == command.status, "\(command.testDescription): \(run)")
            let store = try OldStore(tool.store)
            #expect(store.format == fixture.format, "\(command.testDescription)")
            #expect(store.files.isDisjoint(with: ["redo.log", "redo.checkpoint"]), "\(command.testDescription)")
            if fixture.format == 1 { #expect(try store.partsWithoutFirstFormat == [], "\(command.testDescription)") }
        }
        for copy in ["copy", "small"] { #expect(try OldStore(tool.path(copy)).format == fixture.format) }
    }

    @Test(arguments: old) func `A restored backup keeps its format, also in the place of a newer store`(
        fixture: Fixture
    ) throws {
        let tool = try Sample.tool()
        #expect(try OldStore(tool.store).format == StoreFormat.version)
        try fixture.unpack(to: tool.path("old"))
        #expect(try tool.run("restore", "old").status == 0)
        #expect(try OldStore(tool.store).format == fixture.format)
        #expect(try tool.run("export").output == fixture.text("export.jsonl"))
        #expect(try tool.run("migrate", "--schema", fixture.path("schema.json")).status == 0)
        #expect(try OldStore(tool.store).format == fixture.format)
    }

    @Test func `A change that the format cannot express names the format that it needs`() throws {
        let tool = try tool(try #require(Self.old.first { $0.format == 1 }))
        let log = #"{"name": "number", "type": "int64"}, {"name": "text", "type": "string"}"#
        let head = #"{"types": [{"name": "Log", "id": ["number"], "assignsIDs": true, "fields": ["#
        let note = #""id": ["id"], "fields": [{"name": "id", "type": "string"}"#
        let changes: [(document: String, part: String)] = [
            (
                "\(head)\(log), {\"name\": \"note\", \"type\": \"string?\"}]}]}",
                "the change to the fields of Log needs format 2"
            ),
            (
                "\(head)\(log)], \"indexes\": [{\"fields\": [\"text\"], \"unique\": true}, {\"fields\": [\"text\", \"number\"]}]}]}",
                "adding the index (text, number) to the records of Log needs format 2"
            ),
            (
                #"{"types": [{"name": "Note", \#(note), {"name": "log", "type": {"reference": "Log", "id": "int64"}}]}]}"#,
                "the reference Note.log needs format 2"
            ),
            (
                #"{"types": [{"name": "Note", \#(note), {"name": "tags", "type": {"array": "string"}}], "indexes": [{"fields": ["tags"]}]}]}"#,
                "the index of Note over the elements of tags needs format 2"
            ),
        ]
        for (document, part) in changes {
            try tool.write("new.json", document)
            for trial in [["--dry-run"], []] {
                let run = try tool.run(["migrate", "--schema", "new.json"] + trial)
                #expect(run.status == 78, "\(run)")
                #expect(
                    run.errors.hasPrefix("error: \(part), but the store has format 1; run store-cli upgrade"), "\(run)")
            }
            #expect(try OldStore(tool.store).format == 1)
        }
        #expect(try tool.run("upgrade").status == 0)
        for (document, _) in changes {
            try tool.write("new.json", document)
            let run = try tool.run("migrate", "--schema", "new.json")
            #expect(run.status == 0, "\(run)")
        }
        #expect(try tool.run("verify").status == 0)
    }

    @Test(arguments: raisable)
    func `Upgrade gives a store the newest format that it can have, and says so`(fixture: Fixture) throws {
        let tool = try tool(fixture)
        let trial = try tool.run("upgrade", "--dry-run")
        #expect(
            trial.errors
                == "store has format \(fixture.format), and would get format 3 and a redo log; nothing was done\n")
        let run = try tool.run("upgrade")
        #expect(run.status == 0)
        #expect(run.errors == "store had format \(fixture.format), and has format 3 and a redo log now\n")
        let store = try OldStore(tool.store)
        #expect(store.format == 3)
        #expect(store.files.isSuperset(of: ["redo.log", "redo.checkpoint"]))
        #expect(
            try tool.run("upgrade").errors
                == "store has format 3, the newest for an existing store; nothing was done\n")
        #expect(try tool.run("export").output == fixture.text("export.jsonl"))
        #expect(try tool.run("migrate", "--schema", "same.json").status == 0)
        #expect(try tool.run("verify").status == 0)
    }

    @Test(arguments: raisable)
    func `Upgrade without a redo log stops at the format before, and leaves a log that is off`(
        fixture: Fixture
    ) throws {
        let tool = try tool(fixture)
        let run = try tool.run("upgrade", "--no-redo-log")
        #expect(run.status == 0)
        let done = fixture.format == 1 ? "store had format 1, and has format 2 now" : ""
        #expect(run.errors.hasPrefix(done), "\(run)")
        if fixture.format == 2 { #expect(try tool.run("redo-log", "off").status == 0) }
        #expect(
            try tool.run("upgrade").errors
                == "store has format 2, the newest for an existing store without a redo log; nothing was done\n")
        #expect(try OldStore(tool.store).format == 2)
        #expect(try tool.run("redo-log", "on").status == 0)
        #expect(try OldStore(tool.store).format == 3)
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `A store of format 3 keeps it, with its keys, until its log is turned off`() throws {
        let fixture = try #require(Self.old.first { $0.name == "format-3-long" })
        let tool = try tool(fixture)
        let url = "https://example.org/" + String(repeating: "path/", count: 60) + "page-new"
        let title = String(repeating: "long title ", count: 40)
        for words in [
            ["insert", "Page", #"{"url": "\#(url)", "title": "\#(title)", "next": null}"#], ["get", "Page", url],
            ["undo", "newest"], ["undo", "newest"], ["delete", "Page", url], ["redo-log", "on"], ["verify"],
        ] {
            let run = try tool.run(words)
            #expect(run.status == 0, "\(words): \(run)")
            #expect(try OldStore(tool.store).format == 3)
        }
        #expect(
            try tool.run("upgrade").errors
                == "store has format 3, the newest for an existing store; nothing was done\n")
        #expect(try tool.run("export").output == fixture.text("export.jsonl"))
        #expect(try tool.run("redo-log", "off").status == 0)
        #expect(try OldStore(tool.store).format == 2)
        #expect(try tool.run("verify").status == 0)
        // The way to format 4.
        try tool.write("all.jsonl", try fixture.text("export.jsonl"))
        #expect(try tool.run("--store", "new", "create", "--schema", "same.json").status == 0)
        #expect(try tool.run("--store", "new", "import", "all.jsonl").status == 0)
        #expect(try OldStore(tool.path("new")).format == 4)
        #expect(try tool.run("--store", "new", "export").output == fixture.text("export.jsonl"))
        #expect(try tool.run("--store", "new", "verify").status == 0)
        for setting in ["off", "on"] {
            #expect(try tool.run("--store", "new", "redo-log", setting).status == 0)
            #expect(try OldStore(tool.path("new")).format == 4)
            #expect(try OldStore(tool.path("new")).files.contains("redo.log") == (setting == "on"))
            #expect(try tool.run("--store", "new", "verify").status == 0)
        }
        #expect(
            try tool.run("--store", "new", "upgrade").errors == "new has format 4, the newest; nothing was done\n")
    }

    @Test func `Upgrade waits for the programs that have the store open, and not longer than it may`() throws {
        let tool = try tool(try #require(Self.old.first { $0.format == 2 }))
        let store = try Store(at: tool.store, records: [])
        let late = try tool.run("--timeout", "0.05", "upgrade")
        #expect(late.status == 75)
        #expect(late.errors.contains("process \(ProcessInfo.processInfo.processIdentifier) has store open"))
        #expect(try OldStore(tool.store).format == 2)
        let waiting = try tool.start(["upgrade"])
        try Follower(waiting).waitForErrors(containing: "has the store open; waiting for it")
        store.close()
        let run = try waiting.finish()
        #expect(run.status == 0)
        #expect(run.errors.contains("process \(ProcessInfo.processInfo.processIdentifier) ("), "\(run)")
        #expect(try OldStore(tool.store).format == 3)
    }

    @Test func `Stat and types show the format in every form`() throws {
        let tool = try tool(try #require(Self.old.first { $0.format == 1 }))
        #expect(try tool.run("stat").output.contains(/format +1\n/))
        #expect(try tool.run("--output", "json", "stat").output.contains("\"format\": 1"))
        #expect(try tool.run("--output", "jsonl", "stat").output.contains("\"format\":1"))
        #expect(try tool.run("types").output.contains(/Log .* 1\n/))
        #expect(try tool.run("--output", "csv", "types").output.hasPrefix("type,rows,fields,indexes,bytes,format\n"))
        #expect(try tool.run("--output", "json", "types").output.contains("\"format\":1"))
        #expect(try tool.run("--output", "jsonl", "types").output.contains("\"format\":1"))
    }

    @Test func `A new store has the newest format, however it is made`() throws {
        let tool = try Sample.empty()
        #expect(try OldStore(tool.store).format == StoreFormat.version)
        #expect(try tool.run("insert", "Log", #"{"text": "a"}"#).status == 0)
        let store = try OldStore(tool.store)
        #expect(store.format == StoreFormat.version)
        #expect(store.files.isSuperset(of: ["redo.log", "redo.checkpoint"]))
        try tool.write("rows.csv", "id,n\na,1\n")
        #expect(try tool.run("--store", "imported", "import", "Row", "rows.csv", "--create").status == 0)
        #expect(try OldStore(tool.path("imported")).format == StoreFormat.version)
        #expect(try tool.run("backup", "copy").status == 0)
        #expect(try OldStore(tool.path("copy")).format == StoreFormat.version)
        #expect(try tool.run("--store", "restored", "restore", "copy").status == 0)
        #expect(try tool.run("--store", "restored", "insert", "Log", #"{"text": "b"}"#).status == 0)
        #expect(try OldStore(tool.path("restored")).files.contains("redo.log"), "a copy gets the log of its format")
    }
}
