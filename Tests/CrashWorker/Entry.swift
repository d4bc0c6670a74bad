import StoreEngine

/// A record that lanes write, small or large, with a text id and a unique, a plain and a compound index.
struct Entry: Hashable, Record {
    var id: String
    var lane: String
    var number: Int64
    var serial: String
    var bucket: Int32?
    var text: String

    var recordID: String { id }

    struct Fields: Sendable {
        var serial: Field<Entry, String> { Field(3, "serial", get: { $0.serial }, set: { $0.serial = $1 }) }
    }

    static var fields: Fields { Fields() }

    static let recordSchema = RecordSchema(
        name: "Entry",
        fields: [
            FieldSchema("id", String.self), FieldSchema("lane", String.self), FieldSchema("number", Int64.self),
            FieldSchema("serial", String.self), FieldSchema("bucket", Int32?.self), FieldSchema("text", String.self),
        ],
        id: IDSchema([0]),
        indexes: [IndexSchema([3], isUnique: true), IndexSchema([4]), IndexSchema([1, 2], isUnique: true)])

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(id)
        try encoder.encode(lane)
        try encoder.encode(number)
        try encoder.encode(serial)
        try encoder.encode(bucket)
        try encoder.encode(text)
    }
}

extension Entry {
    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        id = try decoder.decode(0)
        lane = try decoder.decode(1)
        number = try decoder.decode(2)
        serial = try decoder.decode(3)
        bucket = try decoder.decode(4)
        text = try decoder.decode(5)
    }
}
