import StoreEngine
import Testing

/// Typed and dynamic sets and dictionaries use the same definition of equal elements, so each can read the other's output.
@Suite struct DistinctElementTests {
    private func encode(_ value: DynamicValue, _ type: FieldType) throws -> [UInt8] {
        var writer = ByteWriter()
        try value.encode(as: type, to: &writer)
        return writer.array()
    }

    @Test func `a dynamic set holds no two elements that Swift calls equal`() throws {
        let both: DynamicValue = .list([.string("\u{E9}"), .string("e\u{301}")])
        #expect(throws: CodecError.self) { try encode(both, .set(.string)) }
        #expect(throws: CodecError.self) { try encode(.list([.double(0), .double(-0.0)]), .set(.double)) }
        #expect(throws: CodecError.self) { try encode(.list([.int(1), .int(1)]), .set(.int8)) }
        #expect(try Set<String>(from: encode(.list([.string("a"), .string("\u{E9}")]), .set(.string))).count == 2)
    }

    @Test func `a dynamic dictionary holds no two keys that Swift calls equal`() {
        let pairs = ["\u{E9}", "e\u{301}"].map { DynamicPair(key: .string($0), value: .bool(true)) }
        #expect(throws: CodecError.self) { try encode(.pairs(pairs), .dictionary(.string, .bool)) }
    }

    @Test func `one NaN is not written twice, though Swift's sets take it`() throws {
        #expect(throws: CodecError.self) { try Set([Double.nan, .nan]).encoded() }
        let pairs: [Double: Int] = [.nan: 1]
        var twice = pairs
        twice[.nan] = 2
        #expect(twice.count == 2)
        #expect(throws: CodecError.self) { try twice.encoded() }
        #expect(try pairs.encoded().count == 16)
    }
}
