import StoreEngine
import Testing

@Suite struct ByteReaderTests {
    private func varint(_ bytes: [UInt8]) throws -> UInt64 {
        var reader = unsafe ByteReader(bytes.span.bytes)
        return try reader.readVarint()
    }

    @Test func `an integer of variable length has at most 64 bits`() throws {
        let full = Array(repeating: UInt8(0xFF), count: 9)
        #expect(try varint(full + [1]) == .max)
        #expect(try varint(Array(repeating: 0x80, count: 9) + [1]) == 1 << 63)
        #expect(throws: CodecError.self) { try varint(full + [2]) }
        #expect(throws: CodecError.self) { try varint(full + [0x7F]) }
        #expect(throws: CodecError.self) { try varint(full + [0x81, 0]) }
        #expect(throws: CodecError.self) { try varint(full) }
    }
}
