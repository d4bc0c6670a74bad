import StoreEngine

/// The number of writes of a lane in the store. Each write of the lane increments it, so lost and doubled writes show.
struct Lane: Hashable, Record {
    var name: String
    var count: Int64

    var recordID: String { name }

    struct Fields: Sendable {
        var count: Field<Lane, Int64> { Field(1, "count", get: { $0.count }, set: { $0.count = $1 }) }
    }

    static var fields: Fields { Fields() }

    static let recordSchema = RecordSchema(
        name: "Lane",
        fields: [FieldSchema("name", String.self), FieldSchema("count", Int64.self)],
        id: IDSchema([0]))

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(name)
        try encoder.encode(count)
    }
}

extension Lane {
    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        name = try decoder.decode(0)
        count = try decoder.decode(1)
    }
}
