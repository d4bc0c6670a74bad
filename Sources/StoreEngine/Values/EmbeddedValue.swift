/// A struct inside a record whose fields can be addressed one by one. Conform with the macro `@Embedded`.
public protocol EmbeddedValue: FieldValue {
    /// The type that has one token for each field.
    associatedtype Fields: Sendable

    /// The tokens of the fields.
    static var fields: Fields { get }

    /// The declared fields.
    static var embeddedSchema: EmbeddedSchema { get }

    /// Encodes each field in the order of ``embeddedSchema``.
    func encode(to encoder: inout FieldEncoder) throws(CodecError)

    /// Decodes each field.
    init(from decoder: borrowing FieldDecoder) throws(CodecError)
}

extension EmbeddedValue {
    public static var fieldType: FieldType { .embedded(embeddedSchema) }

    public func encode(to writer: inout ByteWriter) throws(CodecError) {
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: Self.embeddedSchema.fields.count)
        try encode(to: &encoder)
        try encoder.finish()
        writer.append(encoder.bytes)
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        try self.init(from: FieldDecoder(FieldTable(bytes)))
    }
}
