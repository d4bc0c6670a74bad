import StoreEngine
import TestSupport

/// A struct field that contains another struct.
struct Inner: EmbeddedValue, Equatable, TestValue {
    var count: Int32
    var name: String?
    var nested: [Deeper]

    struct Fields: Sendable {}

    static let fields = Fields()
    static let embeddedSchema = EmbeddedSchema(
        fields: [
            FieldSchema("count", Int32.self), FieldSchema("name", String?.self), FieldSchema("nested", [Deeper].self),
        ])

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(count)
        try encoder.encode(name)
        try encoder.encode(nested)
    }

    init(count: Int32, name: String?, nested: [Deeper]) {
        self.count = count
        self.name = name
        self.nested = nested
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        count = try decoder.decode(0)
        name = try decoder.decode(1)
        nested = try decoder.decode(2)
    }

    static var extremes: [Inner] {
        [
            Inner(count: .min, name: nil, nested: []),
            Inner(count: .max, name: String(repeating: "n", count: 70_000), nested: Deeper.extremes),
        ]
    }

    static func random(_ random: inout TestRandom) -> Inner {
        Inner(count: .random(&random), name: .random(&random), nested: .random(&random))
    }
}
