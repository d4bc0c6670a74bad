/// Converts numbers to another width and kind, either exactly or not at all.
enum NumberConversion {
    /// Appends a number that is encoded as `old` in the encoding of `new`.
    ///
    /// - Throws: ``CodecError`` if `new` cannot hold the number.
    static func append(
        _ bytes: RawSpan, _ old: FieldType, _ new: FieldType, to writer: inout ByteWriter
    ) throws(CodecError) {
        switch old {
        case .int8: try append(Int8(from: bytes), as: new, to: &writer)
        case .int16: try append(Int16(from: bytes), as: new, to: &writer)
        case .int32: try append(Int32(from: bytes), as: new, to: &writer)
        case .int64: try append(Int64(from: bytes), as: new, to: &writer)
        case .uint8: try append(UInt8(from: bytes), as: new, to: &writer)
        case .uint16: try append(UInt16(from: bytes), as: new, to: &writer)
        case .uint32: try append(UInt32(from: bytes), as: new, to: &writer)
        case .uint64: try append(UInt64(from: bytes), as: new, to: &writer)
        case .float: try append(Double(Float(from: bytes)), as: new, to: &writer)
        case .double: try append(Double(from: bytes), as: new, to: &writer)
        default: throw CodecError("\(old) is not a number")
        }
    }

    private static func append<I: FixedWidthInteger>(
        _ value: I, as new: FieldType, to writer: inout ByteWriter
    ) throws(CodecError) {
        switch new {
        case .float: try exactly(Float(exactly: value), value, new).encode(to: &writer)
        case .double: try exactly(Double(exactly: value), value, new).encode(to: &writer)
        case .int8: try exactly(Int8(exactly: value), value, new).encode(to: &writer)
        case .int16: try exactly(Int16(exactly: value), value, new).encode(to: &writer)
        case .int32: try exactly(Int32(exactly: value), value, new).encode(to: &writer)
        case .int64: try exactly(Int64(exactly: value), value, new).encode(to: &writer)
        case .uint8: try exactly(UInt8(exactly: value), value, new).encode(to: &writer)
        case .uint16: try exactly(UInt16(exactly: value), value, new).encode(to: &writer)
        case .uint32: try exactly(UInt32(exactly: value), value, new).encode(to: &writer)
        case .uint64: try exactly(UInt64(exactly: value), value, new).encode(to: &writer)
        default: throw CodecError("\(new) is not a number")
        }
    }

    private static func append(_ value: Double, as new: FieldType, to writer: inout ByteWriter) throws(CodecError) {
        switch new {
        case .float:
            let float = Float(value)
            guard value.isNaN || Double(float) == value else { throw misfit(value, new) }
            float.encode(to: &writer)
        case .double: value.encode(to: &writer)
        default:
            if let whole = Int64(exactly: value) {
                try append(whole, as: new, to: &writer)
            } else {
                try append(exactly(UInt64(exactly: value), value, new), as: new, to: &writer)
            }
        }
    }

    private static func exactly<Source, T>(_ value: T?, _ source: Source, _ new: FieldType) throws(CodecError) -> T {
        guard let value else { throw misfit(source, new) }
        return value
    }

    private static func misfit<Source>(_ source: Source, _ new: FieldType) -> CodecError {
        CodecError("\(source) does not fit \(new)")
    }
}
