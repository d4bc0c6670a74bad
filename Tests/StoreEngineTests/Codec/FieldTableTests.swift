import StoreEngine
import Testing

@Suite struct FieldTableTests {
    /// A table of two fields with one byte for each end, and three bytes of fields.
    private func field(_ index: Int, ends: [UInt8]) throws -> [UInt8] {
        let bytes: [UInt8] = [1, 2, 0] + ends + [7, 8, 9]
        return try unsafe FieldTable(bytes.span.bytes).field(index).array()
    }

    @Test func `a field is the bytes between two ends`() throws {
        #expect(try field(0, ends: [2, 3]) == [7, 8])
        #expect(try field(1, ends: [2, 3]) == [9])
        #expect(try field(1, ends: [3, 3]) == [])
    }

    @Test func `a field that ends before it begins, or behind the record, is an error`() {
        #expect(throws: CodecError.self) { try field(1, ends: [3, 2]) }
        #expect(throws: CodecError.self) { try field(1, ends: [2, 4]) }
        #expect(throws: CodecError.self) { try field(0, ends: [4, 4]) }
        #expect(throws: CodecError.self) { try field(2, ends: [2, 3]) }
        #expect(throws: CodecError.self) { try field(-1, ends: [2, 3]) }
    }
}
