// Integers are little endian in records, in their own width. In keys they are big endian, with the sign bit flipped.

/// The shared implementation for all standard integers. It is a protocol, because extensions of `FixedWidthInteger` cannot add
/// conformances.
public protocol IntegerFieldValue: IndexableValue, FixedWidthInteger, BitwiseCopyable {}

extension IntegerFieldValue {
    @inlinable public static var fixedByteCount: Int? { MemoryLayout<Self>.size }

    /// Appends the bytes of the integer in little-endian order.
    @inlinable
    public func encode(to writer: inout ByteWriter) { writer.append(self) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(MemoryLayout<Self>.size, "an integer")
        self = try bytes.loadInteger(at: 0, as: Self.self)
    }

    @inlinable
    public func encodeKey(to writer: inout ByteWriter) {
        writer.append(bigEndian: Self.isSigned ? self ^ Self.min : self)
    }
}

extension Int8: IntegerFieldValue { public static var fieldType: FieldType { .int8 } }
extension Int16: IntegerFieldValue { public static var fieldType: FieldType { .int16 } }
extension Int32: IntegerFieldValue { public static var fieldType: FieldType { .int32 } }
extension Int64: IntegerFieldValue { public static var fieldType: FieldType { .int64 } }
extension Int: IntegerFieldValue { public static var fieldType: FieldType { .int64 } }
extension UInt8: IntegerFieldValue { public static var fieldType: FieldType { .uint8 } }
extension UInt16: IntegerFieldValue { public static var fieldType: FieldType { .uint16 } }
extension UInt32: IntegerFieldValue { public static var fieldType: FieldType { .uint32 } }
extension UInt64: IntegerFieldValue { public static var fieldType: FieldType { .uint64 } }
extension UInt: IntegerFieldValue { public static var fieldType: FieldType { .uint64 } }

extension Bool: IndexableValue {
    public static var fieldType: FieldType { .bool }
    @inlinable public static var fixedByteCount: Int? { 1 }

    /// Appends the bytes of the integer in little-endian order.
    @inlinable
    public func encode(to writer: inout ByteWriter) { writer.append(byte: self ? 1 : 0) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(1, "a Bool")
        switch try bytes.loadInteger(at: 0, as: UInt8.self) {
        case 0: self = false
        case 1: self = true
        case let other: throw CodecError("a Bool is 0 or 1, found \(other)")
        }
    }

    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { writer.append(byte: self ? 1 : 0) }
}
