// Records hold the IEEE 754 bits of floating-point numbers, so that every value comes back, including the payload of a NaN. In
// keys, negative zero equals zero, and all NaNs are one value after positive infinity. The order is thus total, and equal values
// have equal keys.

extension Double: IndexableValue {
    public static var fieldType: FieldType { .double }
    @inlinable public static var fixedByteCount: Int? { 8 }

    @inlinable
    public func encode(to writer: inout ByteWriter) { writer.append(bitPattern) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(8, "a Double")
        self.init(bitPattern: try bytes.loadInteger(at: 0, as: UInt64.self))
    }

    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { writer.append(bigEndian: orderedBits) }

    /// The bits, rearranged so that their unsigned order is the numeric order.
    @inlinable
    package var orderedBits: UInt64 {
        if isNaN { return .max }
        let bits = self == 0 ? 0 : bitPattern
        return bits >> 63 == 1 ? ~bits : bits | (1 << 63)
    }
}

extension Float: IndexableValue {
    public static var fieldType: FieldType { .float }
    @inlinable public static var fixedByteCount: Int? { 4 }

    @inlinable
    public func encode(to writer: inout ByteWriter) { writer.append(bitPattern) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(4, "a Float")
        self.init(bitPattern: try bytes.loadInteger(at: 0, as: UInt32.self))
    }

    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { writer.append(bigEndian: orderedBits) }

    /// The bits, rearranged so that their unsigned order is the numeric order.
    @inlinable
    package var orderedBits: UInt32 {
        if isNaN { return .max }
        let bits = self == 0 ? 0 : bitPattern
        return bits >> 31 == 1 ? ~bits : bits | (1 << 31)
    }
}
