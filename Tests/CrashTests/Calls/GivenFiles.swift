import ChildPrograms
import Foundation

/// The files that the tried commands read: a small store with references and a feed, documents, a copy and a trace.
final class GivenFiles {
    private let directory: ScratchDirectory

    var path: String { directory.path }
    /// The folder of the store.
    var store: String { directory.path("store") }

    init() throws {
        directory = try ScratchDirectory(inMemory: true)
        try write("schema.json", Self.schema(""))
        try write("later.json", Self.schema(#", {"name": "note", "type": "string?"}"#))
        try write("rooms.jsonl", #"{"name": "hall", "floor": 1}"# + "\n" + #"{"name": "attic", "floor": 3}"# + "\n")
        try write("readings.jsonl", Self.readings(1...6))
        try write("new.jsonl", Self.readings(5...30))
        try write("new.csv", "id,room,celsius\n" + (5...30).map { "r\($0),hall,\($0).5\n" }.joined())
        for words in [
            ["create", "--schema", file("schema.json")], ["import", "Room", file("rooms.jsonl")],
            ["import", "Reading", file("readings.jsonl")], ["set", "Reading", "r1", "celsius=22"],
            ["delete", "Reading", "r2"], ["backup", file("copy")], ["record", file("sample.trace")],
            ["insert", "Log", #"{"text":"later"}"#],
        ] { try Command.run(CallFaultRun.program, ["--store", store] + words) }
    }

    private func file(_ name: String) -> String { directory.path(name) }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
    }

    private static func readings(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { #"{"id": "r\#($0)", "room": "\#($0 % 2 == 0 ? "attic" : "hall")", "celsius": \#($0)}"# + "\n" }
            .joined()
    }

    /// Returns the schema document, with more fields of `Reading`.
    private static func schema(_ fields: String) -> String {
        #"""
        [{"name": "Room", "id": ["name"], "fields": [{"name": "name", "type": "string"}, {"name": "floor", "type": "int64"}]},
        {"name": "Reading", "id": ["id"], "fields": [{"name": "id", "type": "string"}, {"name": "room", "type":
        {"reference": "Room", "id": "string"}, "onDelete": "cascade"}, {"name": "celsius", "type": "double"}\#(fields)],
        "indexes": [{"fields": ["celsius"]}]},
        {"name": "Log", "id": ["id"], "assignsIDs": true, "fields": [{"name": "id", "type": "uint32"},
        {"name": "text", "type": "string"}]}]
        """#
    }
}
