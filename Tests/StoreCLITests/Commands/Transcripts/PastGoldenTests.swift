import Testing

/// The output of `at` and `diff`, compared with golden files.
@Suite("Time travel, word by word") struct PastGoldenTests {
    /// Creates a folder with a store that has been changed in each way.
    private static func tool() throws -> Tool {
        let tool = try Sample.tool()
        try tool.run("set", "Sensor", "s1", "celsius=-0.5", "note=a\u{1B}[31mb")
        try tool.run("set", "Seat", #"["a,b", 3]"#, "taken=true")
        try tool.run("delete", "Sensor", "s2", "s3")
        try tool.run("insert", "Sensor", #"{"id": "s3", "room": "bath", "serial": "A-18", "tags": []}"#)
        return tool
    }

    @Test func `at`() throws {
        var transcript = Transcript(try Self.tool())
        for form in ["table", "json", "jsonl", "csv"] {
            try transcript.run("--output", form, "at", "6", "query", "Sensor", "--sort", "-celsius")
        }
        try transcript.run("query", "Sensor", "--count")
        try transcript.run("at", "6", "query", "Sensor", "--where", "serial == 'A-18'", "--fields", "id,room")
        try transcript.run("at", "6", "query", "Sensor", "--count")
        try transcript.run("at", "3", "query", "Sensor", "--count")
        try transcript.run("at", "newest", "query", "Sensor", "--group", "room")
        try transcript.run("at", "6", "get", "Sensor", "s2")
        try transcript.run("at", "9", "get", "Sensor", "s2")
        try transcript.run("at", "5", "export")
        try transcript.run("query", "Sensor", "--at", "6", "--limit", "1")
        try transcript.expect("at")
    }

    @Test func `diff`() throws {
        var transcript = Transcript(try Self.tool())
        for form in ["table", "json", "jsonl", "csv"] { try transcript.run("--output", form, "diff", "6", "newest") }
        try transcript.run("diff", "newest", "6")
        try transcript.run("diff", "7", "8", "Sensor")
        try transcript.run("diff", "7", "8", "Seat")
        try transcript.run("diff", "oldest", "4")
        try transcript.run("diff", "6", "6", "--output", "json")
        try transcript.expect("diff")
    }

    @Test func `mistakes in at and diff`() throws {
        var transcript = Transcript(try Self.tool())
        for position in ["9999", "yesterday", "-1"] {
            try transcript.run("at", position, "query", "Sensor")
            try transcript.run("diff", position, "newest")
        }
        try transcript.run("at", "3")
        try transcript.run("at", "3", "set", "Sensor", "s1", "celsius=1")
        try transcript.run("at", "3", "query", "Sensr")
        try transcript.run("at", "3", "query", "Sensor", "--wher", "true")
        try transcript.run("diff", "3")
        try transcript.run("diff", "3", "4", "Sensr")
        try transcript.run("--store", "nowhere", "at", "3", "query", "Sensor")
        try transcript.expect("past-mistakes")
    }
}
