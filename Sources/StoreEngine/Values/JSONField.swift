import Foundation

/// The last resort for a field whose type is only `Codable`: JSON text with sorted keys.
///
/// Such a field can be read and written and its equality is that of its text, but it cannot be indexed.
struct JSONField<Value: Codable & Sendable>: FieldValue {
    let value: Value

    init(_ value: Value) { self.value = value }

    static var fieldType: FieldType { .json }

    func encode(to writer: inout ByteWriter) throws(CodecError) { try value.jsonText.encode(to: &writer) }

    init(from bytes: RawSpan) throws(CodecError) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            value = try decoder.decode(Value.self, from: Data(from: bytes))
        } catch {
            throw CodecError("\(Value.self) cannot be decoded from JSON: \(ErrorText.of(error))")
        }
    }
}

extension Encodable {
    /// The text that a store holds for this value in a field of JSON, as UTF-8.
    var jsonText: Data {
        get throws(CodecError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            do {
                return try encoder.encode(self)
            } catch {
                throw CodecError("\(Self.self) cannot be encoded as JSON: \(ErrorText.of(error))")
            }
        }
    }
}
