// In records, nil has no bytes, and a value follows the byte 1. In keys nil is the byte 0, so that it comes first.

extension Optional: FieldValue where Wrapped: FieldValue {
    public static var fieldType: FieldType { .optional(Wrapped.fieldType) }

    @inlinable public static var absentValue: Self? { .some(.none) }

    @inlinable
    public func encode(to writer: inout ByteWriter) throws(CodecError) {
        guard let value = self else { return }
        writer.append(byte: 1)
        try value.encode(to: &writer)
    }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        if bytes.byteCount == 0 {
            self = .none
            return
        }
        let mark = try bytes.loadInteger(at: 0, as: UInt8.self)
        guard mark == 1 else { throw CodecError("an optional value must begin with 1, found \(mark)") }
        self = .some(try Wrapped(from: bytes.extracting(1..<bytes.byteCount)))
    }
}

extension Optional: IndexableValue where Wrapped: IndexableValue {
    public typealias Compared = Wrapped.Compared

    @inlinable
    public func encodeKey(to writer: inout ByteWriter) {
        guard let value = self else { return writer.append(byte: 0) }
        writer.append(byte: 1)
        value.encodeKey(to: &writer)
    }
}
