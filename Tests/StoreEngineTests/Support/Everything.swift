import Foundation
import LMDB
import StoreEngine
import TestSupport

/// A record with a field of each kind. It spells out the code that `@Record` generates.
struct Everything: Record, Equatable {
    var id: String
    var number: Int64
    var small: UInt8
    var ratio: Double
    var flag: Bool
    var data: Data
    var token: UUID
    var at: Date
    var link: URL
    var price: Decimal
    var span: Duration
    var shade: Shade?
    var tags: Set<String>
    var counts: [String: Int32]
    var maybe: [Int16?]
    var inner: Inner
    var loose: Loose

    struct Fields: Sendable {}

    static let fields = Fields()

    static let recordSchema = RecordSchema(
        name: "Everything",
        fields: [
            FieldSchema("id", String.self), FieldSchema("number", Int64.self), FieldSchema("small", UInt8.self),
            FieldSchema("ratio", Double.self), FieldSchema("flag", Bool.self), FieldSchema("data", Data.self),
            FieldSchema("token", UUID.self), FieldSchema("at", Date.self), FieldSchema("link", URL.self),
            FieldSchema("price", Decimal.self), FieldSchema("span", Duration.self), FieldSchema("shade", Shade?.self),
            FieldSchema("tags", Set<String>.self), FieldSchema("counts", [String: Int32].self),
            FieldSchema("maybe", [Int16?].self), FieldSchema("inner", Inner.self), FieldSchema("loose", Loose.self),
        ],
        id: IDSchema([0]), indexes: [IndexSchema([9]), IndexSchema([11, 8], isUnique: true)])

    var recordID: String { id }

    init(_ random: inout TestRandom) {
        id = .random(&random)
        number = .random(&random)
        small = .random(&random)
        ratio = Double(random.below(1_000)) / 7
        flag = .random(&random)
        data = .random(&random)
        token = .random(&random)
        at = .random(&random)
        link = .random(&random)
        price = random.oneIn(2) ? 0 : Decimal(random.below(1_000_000)) / 100
        span = .random(&random)
        shade = .random(&random)
        tags = .random(&random)
        counts = .random(&random)
        maybe = .random(&random)
        inner = .random(&random)
        loose = Loose(text: .random(&random), numbers: [0.5, -1], inner: ["a": 1, "b": nil])
    }

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(id)
        try encoder.encode(number)
        try encoder.encode(small)
        try encoder.encode(ratio)
        try encoder.encode(flag)
        try encoder.encode(data)
        try encoder.encode(token)
        try encoder.encode(at)
        try encoder.encode(link)
        try encoder.encode(price)
        try encoder.encode(span)
        try encoder.encode(shade)
        try encoder.encode(tags)
        try encoder.encode(counts)
        try encoder.encode(maybe)
        try encoder.encode(inner)
        try encoder.encode(loose)
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        id = try decoder.decode(0)
        number = try decoder.decode(1)
        small = try decoder.decode(2)
        ratio = try decoder.decode(3)
        flag = try decoder.decode(4)
        data = try decoder.decode(5)
        token = try decoder.decode(6)
        at = try decoder.decode(7)
        link = try decoder.decode(8)
        price = try decoder.decode(9)
        span = try decoder.decode(10)
        shade = try decoder.decode(11)
        tags = try decoder.decode(12)
        counts = try decoder.decode(13)
        maybe = try decoder.decode(14)
        inner = try decoder.decode(15)
        loose = try decoder.decode(16)
    }

    /// Returns the stored form.
    func sealed(incarnation: UInt64 = 1) throws -> [UInt8] {
        var encoder = FieldEncoder.forRecords()
        encoder.begin(fieldCount: Self.recordSchema.fields.count)
        try encode(to: &encoder)
        try encoder.finish()
        encoder.seal(schemaVersion: 1, incarnation: incarnation)
        return encoder.bytes.array()
    }

    /// Returns the type as in a catalog; its database handles are not real.
    static func openType() throws -> OpenType {
        let type = try RecordType(id: 1, declared: recordSchema)
        let database = LMDBDatabase(handle: 0)
        return try OpenType(type, database: database, indexDatabases: [database, database], keyHash: .publicSeeds)
    }
}
