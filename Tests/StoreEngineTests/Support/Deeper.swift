import Foundation
import StoreEngine
import TestSupport

/// A struct inside a struct field.
struct Deeper: EmbeddedValue, Equatable, TestValue {
    var shade: Shade
    var at: Date

    struct Fields: Sendable {}

    static let fields = Fields()
    static let embeddedSchema = EmbeddedSchema(
        fields: [FieldSchema("shade", Shade.self), FieldSchema("at", Date.self)])

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(shade)
        try encoder.encode(at)
    }

    init(shade: Shade, at: Date) {
        self.shade = shade
        self.at = at
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        shade = try decoder.decode(0)
        at = try decoder.decode(1)
    }

    static var extremes: [Deeper] {
        [Deeper(shade: .light, at: .distantPast), Deeper(shade: .dark, at: .distantFuture)]
    }

    static func random(_ random: inout TestRandom) -> Deeper {
        Deeper(shade: .random(&random), at: .random(&random))
    }
}
