import StoreEngine
import Testing

@Suite struct NumberConversionTests {
    /// Returns a number after the conversion of a field from its type to `type`.
    private func converted<Old: FieldValue, New: FieldValue>(_ value: Old, to type: New.Type) throws -> New {
        let conversion = try #require(FieldConversion.between(Old.fieldType, New.fieldType))
        var old = ByteWriter()
        try value.encode(to: &old)
        var new = ByteWriter()
        try conversion.append(old.bytes, to: &new)
        return try New(from: new.bytes)
    }

    @Test func `a number becomes another type only if it stays the same number`() throws {
        #expect(try converted(Int64(127), to: Int8.self) == 127)
        #expect(throws: CodecError.self) { try converted(Int64(128), to: Int8.self) }
        #expect(throws: CodecError.self) { try converted(Int8(-1), to: UInt64.self) }
        #expect(throws: CodecError.self) { try converted(UInt64.max, to: Int64.self) }
        #expect(try converted(Int64(1) << 53, to: Double.self) == 0x1p53)
        #expect(throws: CodecError.self) { try converted(Int64(1) << 53 + 1, to: Double.self) }
        #expect(try converted(3.0, to: Int32.self) == 3)
        #expect(throws: CodecError.self) { try converted(1.5, to: Int64.self) }
        #expect(try converted(0x1p63, to: UInt64.self) == 1 << 63)
    }

    @Test func `a double becomes a float only if it loses no digits`() throws {
        #expect(try converted(0.5, to: Float.self) == 0.5)
        #expect(try converted(Double.nan, to: Float.self).isNaN)
        #expect(try converted(-Double.infinity, to: Float.self) == -.infinity)
        #expect(throws: CodecError.self) { try converted(0.1, to: Float.self) }
        #expect(throws: CodecError.self) { try converted(1e300, to: Float.self) }
    }
}
