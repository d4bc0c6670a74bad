import StoreCommands
import StoreEngine
import TestSupport

/// Schema documents, as `create --schema` reads them.
struct SchemaTarget: FuzzTarget {
    /// Every form of types, defaults, ids and indexes.
    static let documents = [
        #"""
        {"types": [{"name": "Thing", "version": 1, "id": ["id"], "assignsIDs": false, "fields": [
        {"name": "id", "type": "int64"}, {"name": "name", "type": "string"}, {"name": "note", "type": "string?"},
        {"name": "active", "type": "bool", "default": {"value": true}}, {"name": "small", "type": "int8"},
        {"name": "level", "type": "uint8"}, {"name": "big", "type": "uint64"}, {"name": "ratio", "type": "float"},
        {"name": "celsius", "type": "double?"}, {"name": "price", "type": "decimal"}, {"name": "seen", "type": "date"},
        {"name": "key", "type": "uuid"}, {"name": "link", "type": "url?"}, {"name": "wait", "type": "duration"},
        {"name": "blob", "type": "data"}, {"name": "doc", "type": "json"},
        {"name": "region", "type": {"enum": "string", "cases": ["eu", "us"]}},
        {"name": "rank", "type": {"optional": {"enum": "int8", "cases": ["1", "5"], "names": ["low", "high"]}}},
        {"name": "tags", "type": {"array": "string"}}, {"name": "marks", "type": {"set": "int32?"}},
        {"name": "limits", "type": {"dictionary": ["string", "int64"]}},
        {"name": "address", "type": {"optional": {"struct": [{"name": "city", "type": "string"},
        {"name": "zip", "type": "int32?", "default": {"value": 5}}]}}}], "indexes": [{"fields": ["name", "level"],
        "unique": true}, {"fields": ["tags"], "unique": false}, {"fields": ["celsius"], "unique": false}]}]}
        """#,
        #"""
        [{"name": "Room", "id": ["name"], "fields": [{"name": "name", "type": "string"}]},
        {"name": "Reading", "id": ["room", "number"], "fields": [{"name": "room", "type": {"reference": "Room",
        "id": "string"}, "onDelete": "cascade"}, {"name": "number", "type": "uint16"},
        {"name": "spare", "type": {"optional": {"reference": "Room", "id": "string"}}, "onDelete": "nullify"},
        {"name": "made", "type": "date", "default": {"token": "now"}, "renamedFrom": ["created", "old"]},
        {"name": "mark", "type": "uuid", "default": {"token": "newID"}},
        {"name": "raw", "type": "double", "default": {"bytes": "AAAAAAAA+P8="}}]}]
        """#,
        #"""
        {"name": "Log", "id": ["id"], "assignsIDs": true, "greatestAssignedID": 71, "fields": [{"name": "id",
        "type": "uint32"}, {"name": "text", "type": "string", "default": {"value": ""}}]}
        """#,
    ]

    let inputs = Mutator(
        texts: documents,
        words: [
            "\"int64\"", "\"int8?\"", "\"uint64\"", "\"float\"", "\"json\"", "\"data\"", "\"uint8\"", "\"date\"",
            "\"uuid\"", "\"url\"", "{\"optional\": ", "{\"array\": ", "{\"set\": ", "{\"dictionary\": [", "{\"enum\": ",
            "{\"struct\": [", "{\"reference\": \"Room\", \"id\": ", "\"default\": {\"value\": ", "\"token\": \"now\"",
            "\"bytes\": \"AA==\"", "\"renamedFrom\": [\"a\"],", "\"id\": [\"id\"],", "\"cases\": [],", "\"names\": [],",
            "\"unique\": true", "\"fields\": ", "null", "true", "-1", "1e400", "\"inf\"", "\"nan\"", "[", "]", "{", "}",
            ",", "\"", "\\u0000", "\\ud800",
        ])

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) throws -> Bool {
        guard let entries = try? SchemaDocument.entries(input, of: "input") else { return false }
        // A type whose declaration is valid gets permanent numbers, and the document that the store writes for it is the same.
        let types = try entries.map {
            DescribedType(
                type: try RecordType(id: 1, declared: $0.schema), greatestAssignedID: $0.greatestAssignedID)
        }
        let text = JSONWriter.text(of: try SchemaDocument.json(types))
        let again = try SchemaDocument.entries(Array(text.utf8), of: "output")
        guard again.map(\.schema) == entries.map(\.schema),
            again.map(\.greatestAssignedID) == entries.map(\.greatestAssignedID)
        else { throw Mismatch("the schema reads back differently: \(text)") }
        return true
    }
}
