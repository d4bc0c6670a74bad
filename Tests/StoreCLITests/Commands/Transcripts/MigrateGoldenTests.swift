import Testing

/// The output and effects of `migrate`, compared with a golden file.
@Suite("Migrations, word by word") struct MigrateGoldenTests {
    /// Returns a schema document of the type that `Version1` of these tests makes; `fields` and `indexes` are JSON.
    private static func document(_ fields: String, indexes: String = "[]", id: String = "id") -> String {
        #"{"name": "Box", "id": ["\#(id)"], "fields": [\#(fields)], "indexes": \#(indexes)}"#
    }

    private static let id = #"{"name": "id", "type": "int64"}"#
    private static let first = document(
        id
            + #", {"name": "room", "type": "string"}, {"name": "size", "type": "int64"}, {"name": "note", "type": "string?"}"#,
        indexes: #"[{"fields": ["room"]}]"#)

    private static func tool() throws -> Tool {
        let tool = try Tool()
        try tool.write("first.json", first)
        var transcript = Transcript(tool)
        try transcript.run("create", "--schema", "first.json")
        for record in [
            #"{"id": 1, "room": "hall", "size": 5, "note": "x"}"#, #"{"id": 2, "room": "attic", "size": 70000}"#,
            #"{"id": 3, "room": "hall", "size": -1}"#,
        ] { try transcript.run("insert", "Box", record) }
        return tool
    }

    @Test func `migrate`() throws {
        let tool = try Self.tool()
        try tool.write(
            "more.json",
            Self.document(
                Self.id
                    + #", {"name": "place", "type": "string", "renamedFrom": ["room"]}, {"name": "size", "type": "double"}"#
                    + #", {"name": "note", "type": "string?"}, {"name": "level", "type": "int8", "default": {"value": 3}}"#,
                indexes: #"[{"fields": ["place", "level"]}]"#))
        try tool.write(
            "narrow.json",
            Self.document(
                Self.id + #", {"name": "room", "type": "string"}, {"name": "size", "type": "uint16"}"#
                    + #", {"name": "note", "type": "string"}"#))
        try tool.write(
            "unique.json",
            Self.document(
                Self.id + #", {"name": "room", "type": "string"}, {"name": "size", "type": "int64"}"#,
                indexes: #"[{"fields": ["room"], "unique": true}]"#))
        try tool.write(
            "required.json",
            Self.document(Self.id + #", {"name": "room", "type": "string"}, {"name": "owner", "type": "string"}"#))
        try tool.write(
            "other.json", Self.document(#"{"name": "id", "type": "string"}, {"name": "room", "type": "data"}"#))
        try tool.write("new.json", #"{"name": "Lid", "id": ["id"], "fields": [{"name": "id", "type": "int8"}]}"#)
        try tool.write(
            "unknown.json",
            Self.document(
                Self.id + #", {"name": "room", "type": "string"}"#
                    + #", {"name": "lid", "type": {"optional": {"reference": "Lid", "id": "int8"}}}"#))
        var transcript = Transcript(tool)
        for name in ["first", "narrow", "unique", "required", "other", "unknown"] {
            try transcript.run("migrate", "--schema", name + ".json")
        }
        try transcript.run("migrate", "--schema", "unknown.json", "--dry-run")
        try transcript.run("migrate", "--schema", "new.json", "--dry-run")
        try transcript.run("migrate", "--schema", "new.json")
        for form in ["table", "json", "jsonl", "csv"] {
            try transcript.run("--output", form, "migrate", "--schema", "more.json", "--dry-run")
        }
        try transcript.run("schema", "Box")
        try transcript.run("migrate", "--schema", "more.json")
        try transcript.run("schema", "Box")
        try transcript.run("export", "Box")
        try transcript.run("query", "Box", "--where", "place == 'hall' && level == 3", "--explain")
        try transcript.run("verify")
        try transcript.run("migrate", "--schema", "first.json")
        try transcript.run("export", "Box")
        try transcript.run("verify")
        try transcript.expect("migrate")
    }
}
