import Foundation

/// A field whose type conforms only to `Codable`, stored as JSON text with sorted keys.
///
/// Programs can read and write such a field, and two values are equal if their texts are. The field cannot be indexed.
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
            let found = RecordText.shortened(String(decoding: bytes.array(), as: UTF8.self))
            throw CodecError("\(Value.self) cannot be decoded from its JSON: \(ErrorText.of(error)), found \(found)")
        }
    }
}

extension Encodable {
    /// The UTF-8 text that a store holds for this value in a JSON field.
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
