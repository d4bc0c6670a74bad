import Foundation
import StoreEngine

/// A record whose id is a time. It spells out the code that `@Record` generates.
struct Moment: Record {
    var at: Date
    var what: String

    struct Fields: Sendable {}

    static let fields = Fields()
    static let recordSchema = RecordSchema(
        name: "Moment", fields: [FieldSchema("at", Date.self), FieldSchema("what", String.self)], id: IDSchema([0]))

    var recordID: Date { at }

    init(at: Date, what: String) {
        self.at = at
        self.what = what
    }

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(at)
        try encoder.encode(what)
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        at = try decoder.decode(0)
        what = try decoder.decode(1)
    }
}
