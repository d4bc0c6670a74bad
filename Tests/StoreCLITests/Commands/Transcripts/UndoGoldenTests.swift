import Testing

/// The output of `undo` and `revert`, compared with golden files.
@Suite("Undoing, word by word") struct UndoGoldenTests {
    private static let forms = ["table", "json", "jsonl", "csv"]

    /// Creates a folder with a store. Change set 7 changes two records, 8 changes one of them again, and 9 to 11 make the other
    /// changes.
    private static func tool() throws -> Tool {
        let tool = try Sample.tool()
        try tool.write(
            "more.jsonl",
            """
            {"id": "s1", "room": "attic", "serial": "A-17", "celsius": 30, "tags": []}
            {"id": "s2", "room": "attic", "serial": "A-18", "celsius": 30, "tags": []}
            {"id": "s4", "room": "attic", "serial": "A-19", "celsius": 30, "tags": []}

            """)
        try tool.run("import", "Sensor", "more.jsonl")
        try tool.run("set", "Sensor", "s1", "room=cellar", "note=a\u{1B}[31mb")
        try tool.run("set", "Seat", #"["a,b", 3]"#, "taken=true")
        try tool.run("delete", "Sensor", "s3")
        try tool.run("insert", "Log", #"{"text": "ended"}"#)
        return tool
    }

    @Test func `undo`() throws {
        var transcript = Transcript(try Self.tool())
        for form in Self.forms {
            try transcript.run("--output", form, "undo", "7", "--dry-run")
            try transcript.run("--output", form, "undo", "7", "--dry-run", "--skip-conflicts")
        }
        try transcript.run("undo", "7")
        try transcript.run("query", "Sensor", "--sort", "id")
        try transcript.run("undo", "7", "--skip-conflicts")
        try transcript.run("query", "Sensor", "--sort", "id")
        try transcript.run("--output", "csv", "undo", "10")
        try transcript.run("--output", "jsonl", "undo", "newest")
        try transcript.run("undo", "9", "--dry-run")
        try transcript.expect("undo")
    }

    @Test func `revert`() throws {
        var transcript = Transcript(try Self.tool())
        for form in Self.forms { try transcript.run("--output", form, "revert", "--to", "8", "--dry-run") }
        try transcript.run("revert", "--to", "6")
        try transcript.run("diff", "6", "newest")
        try transcript.run("revert", "--to", "newest")
        try transcript.run("revert", "--to", "newest", "--dry-run", "--output", "json")
        try transcript.expect("revert")
    }

    @Test func `mistakes in undo and revert`() throws {
        var transcript = Transcript(try Self.tool())
        for position in ["9999", "0", "oldest", "yesterday", "-1"] {
            try transcript.run("undo", position)
            try transcript.run("revert", "--to", position)
        }
        try transcript.run("undo")
        try transcript.run("revert")
        try transcript.run("--store", "nowhere", "undo", "3")
        try transcript.expect("undo-mistakes")
    }

    @Test func `a change set of 20,000 records is undone whole`() throws {
        let tool = try Sample.empty()
        let count = 20_000
        for text in ["good", "bad"] {
            let lines = (1...count).map { #"{"number": \#($0), "text": "\#(text) \#($0)"}"# }
            try tool.write("logs.jsonl", lines.joined(separator: "\n"))
            #expect(try tool.run("import", "Log", "logs.jsonl").status == 0)
        }
        let dry = try tool.run("--output", "jsonl", "undo", "newest", "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.output.split(separator: "\n").count == count)
        #expect(dry.errors == "change set 5 can be undone: 20000 records would change\n")
        #expect(try tool.run("query", "Log", "--where", "text startsWith 'bad'", "--count").output.contains("20000"))
        let run = try tool.run("--output", "jsonl", "undo", "newest")
        #expect(run.output == dry.output)
        #expect(run.errors == "change set 5 was undone: 20000 records changed, as change set 6\n")
        #expect(try tool.run("query", "Log", "--where", "text startsWith 'good'", "--count").output.contains("20000"))
    }
}
