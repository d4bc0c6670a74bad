import Foundation
import Testing

/// The output of every command in every format, and its errors, compared with golden files.
@Suite("Output, word by word") struct GoldenTests {
    private static let forms = ["table", "json", "jsonl", "csv"]

    @Test func `create`() throws {
        let tool = try Tool()
        try tool.write("schema.json", Sample.schema)
        try tool.write("half.json", #"{"types": [{"name": "A", "id": ["x"], "fields": ["#)
        try tool.write("none.json", #"{"types": []}"#)
        try tool.write("field.json", #"{"name": "A", "id": ["idd"], "fields": [{"name": "id", "type": "int64"}]}"#)
        try tool.write("type.json", #"{"name": "A", "id": ["id"], "fields": [{"name": "id", "type": "int65"}]}"#)
        try tool.write("key.json", #"{"name": "A", "id": ["id"], "feilds": []}"#)
        try tool.write("id.json", #"{"name": "A", "id": ["id"], "fields": [{"name": "id", "type": "double?"}]}"#)
        try tool.write(
            "default.json",
            #"{"name": "A", "id": ["id"], "fields": [{"name": "id", "type": "int8", "default": {"value": 300}}]}"#)
        let counted = #""id": ["id"], "fields": [{"name": "id", "type": "int8"}]}"#
        try tool.write("given.json", #"{"name": "A", "greatestAssignedID": 3, "# + counted)
        try tool.write("past.json", #"{"name": "A", "assignsIDs": true, "greatestAssignedID": 300, "# + counted)
        try tool.write("below.json", #"{"name": "A", "assignsIDs": true, "greatestAssignedID": -1, "# + counted)
        var transcript = Transcript(tool)
        for name in ["half", "none", "field", "type", "key", "id", "default", "given", "past", "below"] {
            try transcript.run("create", "--schema", name + ".json")
        }
        try transcript.run("create", "--schema", "missing.json")
        try transcript.run("types")
        try transcript.run("create", "--schema", "schema.json")
        try transcript.run("create", "--schema", "schema.json")
        try transcript.run("types")
        try transcript.run("--store", "other", "create", "--schema", "-", input: Sample.schema)
        try transcript.expect("create")
    }

    @Test func `types and schema`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in Self.forms { try transcript.run("--output", form, "types") }
        for form in Self.forms { try transcript.run("--output", form, "schema") }
        try transcript.run("schema", "Seat")
        try transcript.run("schema", "Seat", "--output", "json")
        try transcript.run("schema", "Sensr")
        try transcript.expect("schema")
    }

    @Test func `get`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in Self.forms { try transcript.run("--output", form, "get", "Sensor", "s3") }
        try transcript.run("get", "Sensor", "s2")
        try transcript.run("get", "Log", "1")
        try transcript.run("get", "Seat", #"["a,b", 3]"#)
        try transcript.run("get", "Sensor", "s9")
        try transcript.run("get", "Sensors", "s1")
        try transcript.run("get", "Log", "one")
        try transcript.run("get", "Seat", "a")
        try transcript.run("get", "Seat", "a,b,3")
        try transcript.run("get", "Seat", "[1")
        try transcript.run("get", "Seat", "a,3")
        let long = "begin-" + String(repeating: "0123456789", count: 30) + "-end"
        try transcript.run("get", "Sensor", long)
        try transcript.run("get", "Log", long)
        try transcript.run("get", "Seat", "[" + long)
        try transcript.expect("get")
    }

    @Test func `Enums of integers show the names of their cases in tables, and their raw values to programs`() throws {
        let tool = try Tool()
        let level = #"{"enum": "int64", "cases": ["1", "2"], "names": ["low", "high"]}"#
        let fields =
            #"{"name": "id", "type": "string"}, {"name": "level", "type": \#(level)}, "#
            + #"{"name": "peak", "type": {"optional": \#(level)}}"#
        try tool.write("types.json", #"{"types": [{"name": "Alarm", "id": ["id"], "fields": [\#(fields)]}]}"#)
        #expect(try tool.run("create", "--schema", "types.json").status == 0)
        #expect(try tool.run("insert", "Alarm", #"{"id": "a", "level": 2, "peak": 1}"#).status == 0)
        #expect(try tool.run("insert", "Alarm", #"{"id": "b", "level": 1}"#).status == 0)
        #expect(
            try tool.run("query", "Alarm").output == "id  level  peak\n--  -----  ----\na   high   low\nb   low    \n")
        #expect(
            try tool.run("query", "Alarm", "--output", "csv", "--limit", "1").output == "id,level,peak\na,2,1\n")
        let other = try Tool()
        try other.write("types.json", try tool.run("schema", "--output", "json").output)
        #expect(try other.run("create", "--schema", "types.json").status == 0)
        try other.write("rows.jsonl", try tool.run("export", "Alarm").output)
        #expect(try other.run("import", "Alarm", "rows.jsonl").status == 0)
        #expect(try other.run("query", "Alarm").output == tool.run("query", "Alarm").output)
        try other.write(
            "short.json",
            #"{"types": [{"name": "B", "id": ["id"], "fields": [{"name": "id", "type": "#
                + #"{"enum": "int8", "cases": ["1", "2"], "names": ["x"]}}]}]}"#)
        let short = try other.run("migrate", "--schema", "short.json")
        #expect(short.status == 65)
        #expect(short.errors.contains("names takes a name for each of the 2 cases"), "\(short.errors)")
    }

    @Test func `enums take the names of their cases wherever values are read`() throws {
        let tool = try Tool()
        let level = #"{"enum": "int64", "cases": ["1", "2"], "names": ["low", "high"]}"#
        let cases = (1...20).map { "\"zone \($0)\"" }.joined(separator: ", ")
        let fields =
            #"{"name": "level", "type": \#(level)}, {"name": "peak", "type": {"optional": \#(level)}}, "#
            + #"{"name": "past", "type": {"array": \#(level)}, "default": {"value": ["high"]}}, "#
            + #"{"name": "zone", "type": {"optional": {"enum": "string", "cases": [\#(cases)]}}}"#
        try tool.write("types.json", #"{"types": [{"name": "Alarm", "id": ["level"], "fields": [\#(fields)]}]}"#)
        try tool.write("rows.csv", "level,peak,past\nlow,high,\"[1, \"\"high\"\"]\"\n")
        try tool.write("bad.jsonl", #"{"level": 1}"# + "\n" + #"{"level": "hgih"}"# + "\n")
        var transcript = Transcript(tool)
        try transcript.run("create", "--schema", "types.json")
        try transcript.run("insert", "Alarm", #"{"level": "high", "peak": "low"}"#)
        try transcript.run("import", "Alarm", "rows.csv")
        try transcript.run("export", "Alarm")
        try transcript.run("query", "Alarm", "--where", "peak == 'high' || level in ['high']")
        try transcript.run("set", "Alarm", "low", "peak=low", "past=[\"low\"]", "--if", "peak != 'low'")
        try transcript.run("set", "Alarm", "low", "peak=2", "--if", "past contains 'low'", "--output", "jsonl")
        try transcript.run("delete", "Alarm", "--where", "level == 'high'", "--yes")
        // Invalid commands.
        try transcript.run("query", "Alarm", "--where", "peak == 'hihg'")
        try transcript.run("query", "Alarm", "--where", "peak == high")
        try transcript.run("query", "Alarm", "--where", "zone == 'zne 2'")
        try transcript.run("set", "Alarm", "low", "peak=hihg")
        try transcript.run("set", "Alarm", "low", "peak=3")
        try transcript.run("set", "Alarm", "low", "past=[\"1\"]")
        try transcript.run("set", "Alarm", "low", "zone=zne 2")
        try transcript.run("get", "Alarm", "middle")
        try transcript.run("insert", "Alarm", #"{"level": "hihg"}"#)
        try transcript.run("import", "Alarm", "bad.jsonl")
        try transcript.expect("enum-names")
    }

    @Test func `import and insert make a store that is missing`() throws {
        let tool = try Tool()
        try tool.write("rows.csv", "id,room,celsius\ns1,kitchen,21.5\ns2,bath,19\n")
        try tool.write("types.json", Sample.schema)
        var transcript = Transcript(tool)
        try transcript.run("import", "Room", "rows.csv", "--id", "id")
        try transcript.run("import", "Room", "rows.csv", "--create")
        try transcript.run("import", "Room", "rows.csv", "--create")
        try transcript.run("query", "Room")
        try transcript.run("query", "Room", "--aggregate", "count", "--group", "room")
        try transcript.run("--store", "b", "insert", "Room", #"{"id": "r1", "floor": 2}"#, "--create")
        try transcript.run(
            "--store", "b", "insert", "Seat", #"{"row": 1, "hall": "a"}"#, "--create", "--id", "hall", "--id", "row")
        try transcript.run("--store", "b", "types", "--output", "csv")
        try transcript.run("--store", "c", "insert", "Log", #"{"text": "first"}"#, "--create", "--schema", "types.json")
        try transcript.run(
            "--store", "c", "insert", "Log", #"{"text": "second"}"#, "--create", "--schema", "types.json")
        // A failed command leaves no store.
        try transcript.run("--store", "d", "insert", "Seat", #"{"row": 1}"#, "--create")
        try transcript.run("--store", "d", "import", "Room", "missing.csv", "--create")
        try transcript.run("--store", "d", "types")
        try transcript.run("--store", "d", "insert", "Room", #"{"id": "r1"}"#, "--schema", "types.json")
        try transcript.run("--store", ".", "insert", "Room", #"{"id": "r1"}"#, "--create")
        try transcript.expect("create-missing")
    }

    @Test func `insert and upsert`() throws {
        var transcript = Transcript(try Sample.tool())
        let record = #"{"id": "s4", "room": "attic", "serial": "B-1", "tags": []}"#
        for (form, number) in zip(Self.forms, 4...) {
            let own = record.replacingOccurrences(of: "s4", with: "s\(number)")
                .replacingOccurrences(of: "B-1", with: "B-\(number)")
            try transcript.run("--output", form, "insert", "Sensor", own)
        }
        try transcript.run("insert", "Sensor", record)
        try transcript.run("upsert", "Sensor", record)
        try transcript.run("upsert", "Sensor", "-", input: record)
        try transcript.run("insert", "Sensor", #"{"id": "s9", "room": "r", "serial": "A-17", "tags": []}"#)
        try transcript.run("insert", "Sensor", #"{"id": "s9", "room": "r", "serial": "C", "tag": []}"#)
        try transcript.run("insert", "Sensor", #"{"id": "s9", "room": "r", "serial": "C", "tags": [1]}"#)
        try transcript.run("insert", "Sensor", #"{"id": "s9", "room": "r", "serial": "C"}"#)
        try transcript.run("insert", "Sensor", #"{"id": "s9", "room": null, "serial": "C", "tags": []}"#)
        try transcript.run("insert", "Sensor", "[1]")
        try transcript.run("insert", "Sensor", #"{"id": "s9""#)
        try transcript.run("insert", "Sensor", #"{"id": "s9", "id": "s9"}"#)
        try transcript.run("insert", "Log", #"{"text": "assigned"}"#)
        try transcript.run("insert", "Log", #"{"number": 9, "text": "given"}"#)
        try transcript.run("insert", "Log", #"{"text": "assigned after it"}"#)
        try transcript.run("insert", "Log", #"{"number": 1e30, "text": "too large"}"#)
        try transcript.run("types")
        try transcript.expect("insert")
    }

    @Test func `set`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in Self.forms { try transcript.run("--output", form, "set", "Sensor", "s1", "celsius=1e3") }
        try transcript.run("set", "Sensor", "s1", "note=", "celsius=nan", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", "note=null", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", #"note="null""#, "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", "note=a=b", #"tags=["one", "two"]"#, "--output", "jsonl")
        try transcript.run("set", "Sensor", "s3", "address.city=Bonn", "address.zip=", "--output", "jsonl")
        try transcript.run("set", "Seat", #"["a,b", 3]"#, "taken=true", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", "id=s1", "room=r", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", "address.city=Bonn")
        try transcript.run("set", "Sensor", "s1", "room=x", "celsius=warm")
        try transcript.run("set", "Sensor", "s1", "id=s9")
        try transcript.run("set", "Sensor", "s1", "serial=A-18")
        try transcript.run("set", "Sensor", "s1", "celcius=1")
        try transcript.run("set", "Sensor", "s1", "wholly=1")
        try transcript.run("set", "Sensor", "s1", "room.x=1")
        try transcript.run("set", "Sensor", "s1", "room")
        try transcript.run("set", "Sensor", "s1", "celsius=5", "room=x", "celsius=6")
        try transcript.run("set", "Sensor", "s3", "address.zip=1", #"address={"city": "Ulm"}"#)
        try transcript.run("set", "Sensor", "s1")
        try transcript.run("set", "Sensor", "s9", "room=x")
        // A script may take status 1 for an unmet condition, so these mistakes need a different status.
        try transcript.run("set", "Sensor", "s9", "celcius=1")
        try transcript.run("set", "Sensor", "s9", "room=x", "--if", "room == = 'x'")
        try transcript.run("set", "Sensor", "s1", "room=")
        try transcript.run("--output", "jsonl", "get", "Sensor", "s1")
        try transcript.expect("set")
    }

    @Test func `delete`() throws {
        var transcript = Transcript(try Sample.tool())
        try transcript.run("delete", "Sensor", "s1", "s9")
        try transcript.run("delete", "Sensor", "s1", "s2", "s1")
        try transcript.run("delete", "Sensor", "s1")
        try transcript.run("delete", "Seat", #"["a,b", 3]"#)
        try transcript.run("delete", "Log", "x")
        try transcript.run("delete", "Nothing", "x")
        try transcript.run("delete", "Sensor")
        try transcript.run("types")
        try transcript.expect("delete")
    }

    @Test func `changing and deleting by conditions`() throws {
        var transcript = Transcript(try Sample.tool())
        try transcript.run("set", "Sensor", "s1", "room=attic", "--if", "room == 'kitchen'", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", "room=cellar", "--if", "room == 'kitchen'")
        try transcript.run("set", "Seat", #"["a,b", 3]"#, "taken=true", "--if", "!taken", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s1", "room=cellar", "--dry-run", "--output", "jsonl")
        try transcript.run("set", "Sensor", "s9", "room=x", "--if", "room == 'x'")
        try transcript.run("set", "Sensor", "s1", "room=x", "--if", "rom == 'x'")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "note=seen")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "note=seen", "address=null", "--dry-run")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "note=seen", "address=null", "--yes")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "note=seen", "address=null", "--yes")
        try transcript.run("set", "Sensor", "--where", "room == 'none'", "note=seen", "--yes")
        try transcript.run("set", "Sensor", "--where", "room == 'none'", "note=seen")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "note=seen", "--if", "true", "--yes")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "nte=seen", "--yes")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "serial=same", "--yes")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "id=same", "--yes")
        try transcript.run("set", "Sensor", "--where", "room >= 'b'", "--yes")
        try transcript.run("set", "Sensor", "s1", "note=seen", "--yes")
        try transcript.run("--output", "jsonl", "query", "Sensor", "--fields", "id,note,serial")
        try transcript.run(
            "query", "Sensor", "--where", "room >= 'a'", "--sort", "-celsius", "--limit", "2", "--explain")
        try transcript.run("query", "Sensor", "--where", "serial == 'A-17'", "--explain", "--output", "jsonl")
        try transcript.run("delete", "Sensor", "--where", "celsius < 21")
        try transcript.run("delete", "Sensor", "--where", "celsius < 21", "--yes")
        try transcript.run("delete", "Sensor", "--where", "celsius < 21", "--yes")
        try transcript.run("delete", "Sensor", "s1", "--where", "celsius < 21")
        try transcript.run("delete", "Sensor", "s1", "--yes")
        try transcript.run("delete", "Sensor", "--where", "celsius <")
        try transcript.run("--output", "jsonl", "query", "Sensor")
        try transcript.expect("conditions")
    }

    @Test func `export`() throws {
        var transcript = Transcript(try Sample.tool())
        try transcript.run("export")
        try transcript.run("export", "Sensor")
        try transcript.run("--output", "csv", "export", "Sensor")
        try transcript.run("--output", "csv", "export")
        try transcript.run("--output", "json", "export")
        try transcript.run("export", "Senso")
        try transcript.expect("export")
    }

    @Test func `stat and readers`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in Self.forms { try transcript.run("--output", form, "stat") }
        for form in Self.forms { try transcript.run("--output", form, "readers") }
        try transcript.run("readers", "--clear-stale")
        try transcript.expect("stat")
    }

    @Test func `verify`() throws {
        let tool = try Sample.tool()
        var transcript = Transcript(tool)
        for form in Self.forms { try transcript.run("--output", form, "verify") }
        try transcript.run("--store", "nowhere", "verify")
        try tool.run("backup", "half")
        let data = try Data(contentsOf: URL(filePath: tool.path("half/data.mdb")))
        try data.prefix(10_000).write(to: URL(filePath: tool.path("half/data.mdb")))
        for form in Self.forms { try transcript.run("--output", form, "--store", "half", "verify") }
        try transcript.run("--store", "half", "types")
        try FileManager.default.createDirectory(atPath: tool.path("empty"), withIntermediateDirectories: false)
        try tool.write("empty/data.mdb", "")
        for command in ["types", "verify", "stat"] { try transcript.run("--store", "empty", command) }
        try transcript.run("--store", "empty", "insert", "Log", "{}")
        try transcript.run("--store", "empty", "create", "--schema", "schema.json")
        try transcript.run("restore", "empty")
        try transcript.expect("verify")
    }

    @Test func `backup, compact and restore`() throws {
        var transcript = Transcript(try Sample.tool())
        try transcript.run("backup", "copy")
        try transcript.run("backup", "copy")
        try transcript.run("compact", "small")
        try transcript.run("delete", "Sensor", "s1")
        try transcript.run("restore", "copy")
        try transcript.run("types")
        try transcript.run("--store", "new", "restore", "small")
        try transcript.run("--store", "new", "types")
        try transcript.run("restore", "nowhere")
        try transcript.run("restore", "store")
        try transcript.run("backup", "schema.json")
        try transcript.expect("copies")
    }

    @Test func `usage`() throws {
        let tool = try Sample.tool()
        try tool.write("elsewhere.mdb", "text")
        var transcript = Transcript(tool)
        try transcript.run("bogus")
        try transcript.run("shcema")
        try transcript.run("--output", "json", "--store", "store", "verfy")
        try transcript.run("qeury", "Sensor")
        try transcript.run("query")
        try transcript.run("get", "Sensor")
        try transcript.run("--output", "xml", "types")
        try transcript.run("types", "--otput", "json")
        try transcript.run("delete", "Log", "-5")
        try transcript.run("delete", "Log", "--", "-5")
        try transcript.run("--store", "", "types")
        try transcript.run("--store=nowhere", "types")
        try transcript.run("--store", "elsewhere.mdb", "types")
        try transcript.expect("usage")
    }

    @Test func `help`() throws {
        var transcript = Transcript(try Tool())
        try transcript.run("--help")
        let commands = [
            "create", "types", "schema", "import", "export", "get", "query", "insert", "upsert", "set", "delete",
            "feed", "at", "diff", "undo", "revert", "consumers", "stat",
            "readers", "verify", "backup", "compact", "restore", "redo-log", "upgrade",
        ]
        for command in commands { try transcript.run("help", command) }
        for command in ["create", "reset", "delete"] { try transcript.run("help", "consumers", command) }
        try transcript.expect("help")
    }
}
