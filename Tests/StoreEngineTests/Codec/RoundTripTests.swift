import Foundation
import StoreEngine
import TestSupport
import Testing

@Suite struct RoundTripTests {
    /// One check for each type, as a value that a test can take as its argument.
    struct Check: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (inout TestRandom) throws -> Void

        init<V: TestValue>(_ type: V.Type) {
            testDescription = "\(type)"
            run = { random in
                for value in V.extremes { try RoundTripTests.check(value) }
                for _ in 0..<TestLength.runs(1_500, long: 100_000) { try RoundTripTests.check(V.random(&random)) }
            }
        }
    }

    private static let checks: [Check] = [
        Check(Int8.self), Check(Int16.self), Check(Int32.self), Check(Int64.self), Check(Int.self), Check(UInt8.self),
        Check(UInt16.self), Check(UInt32.self), Check(UInt64.self), Check(UInt.self), Check(Bool.self),
        Check(Double.self), Check(Float.self), Check(String.self), Check(Data.self), Check(UUID.self), Check(Date.self),
        Check(URL.self), Check(Decimal.self), Check(Duration.self), Check(Shade.self), Check(String?.self),
        Check([Bool?].self), Check([String].self), Check([UInt8].self), Check([[Int16?]].self), Check([Double].self),
        Check(Set<String>.self), Check(Set<Int32>.self), Check([String: Data].self), Check([Int: [String: Bool]].self),
        Check(Inner.self), Check([Inner?].self), Check([Shade].self), Check(Deeper?.self),
    ]

    @Test(arguments: checks)
    func `every value comes back bit for bit, and by the catalog alone`(check: Check) throws {
        var random = TestRandom(seed: 7)
        try check.run(&random)
    }

    private static func check<V: TestValue>(_ value: V) throws {
        let bytes = try value.encoded()
        if let size = V.fixedByteCount, bytes.count != size { throw Mismatch("\(value) takes \(bytes.count) bytes") }
        let back = try V(from: bytes)
        guard back.isSame(as: value) else { throw Mismatch("\(value) comes back as \(back)") }
        guard try back.encoded() == bytes else { throw Mismatch("\(value) encodes otherwise the second time") }
        let dynamic = unsafe try DynamicValue(from: bytes.span.bytes, as: V.fieldType)
        var writer = ByteWriter()
        try dynamic.encode(as: V.fieldType, to: &writer)
        guard writer.array() == bytes else {
            throw Mismatch("\(value) encodes otherwise as a dynamic value \(dynamic)")
        }
    }

    @Test func `equal values have equal bytes, however they were made`() throws {
        for power in 0..<30 {
            let direct = Decimal(sign: .plus, exponent: power, significand: 12)
            let scaled = Decimal(sign: .plus, exponent: 0, significand: direct)
            #expect(try direct.encoded() == scaled.encoded())
        }
        #expect(try Decimal(string: "1.50")?.encoded() == Decimal(string: "1.5")?.encoded())
        for seed in 0..<50 {
            var random = TestRandom(seed: UInt64(seed))
            let values = (0..<40).map { _ in Int.random(in: 0..<1_000, using: &random) }
            #expect(try Set(values).encoded() == Set(values.shuffled(using: &random)).encoded())
        }
    }

    @Test func `a field whose type is only Codable comes back`() throws {
        var random = TestRandom(seed: 3)
        var record = Everything(&random)
        record.loose = Loose(text: "\0é\u{10FFFF}\"\\/", numbers: [.infinity, -.infinity, 0, -0.0, 1e300], inner: [:])
        let bytes = try record.sealed()
        let table = unsafe try RecordBytes(bytes.span.bytes).table
        #expect(try Everything(from: FieldDecoder(table)) == record)
    }

    @Test(arguments: 0..<TestLength.runs(300, long: 20_000))
    func `a whole record comes back, typed and by the catalog alone`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        let record = Everything(&random)
        let bytes = try record.sealed(incarnation: random.next())
        let table = unsafe try RecordBytes(bytes.span.bytes).table
        try table.requireExactFill()
        #expect(try Everything(from: FieldDecoder(table)) == record)
        let type = try Everything.openType()
        let dynamic = unsafe try DynamicRecord(bytes.span.bytes, of: type)
        var encoder = FieldEncoder.forRecords()
        try encoder.encode(dynamic, of: type)
        #expect(encoder.tableBytes.array() == Array(bytes[RecordBytes.headerByteCount...]))
    }

    @Test(arguments: [0, 1, 200, 254, 255, 256, 60_000, 65_534, 65_535, 65_536, 1 << 20])
    func `a table of every width finds its fields`(byteCount: Int) throws {
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: 3)
        try encoder.encode("first")
        try encoder.encode(Data(repeating: 9, count: byteCount))
        try encoder.encode(Int16(-2))
        try encoder.finish()
        let table = try FieldTable(encoder.bytes)
        try table.requireExactFill()
        #expect(try String(from: table.field(0)) == "first")
        #expect(try table.field(1).byteCount == byteCount)
        #expect(try Int16(from: table.field(2)) == -2)
        #expect(throws: CodecError.self) { try FieldDecoder(FieldTable(encoder.bytes)).decode(3, as: Int.self) }
    }

    @Test func `bytes that are not UTF-8 are no string`() throws {
        var bytes = try "a\u{E9}".encoded()
        #expect(try String(from: bytes) == "a\u{E9}")
        // The last scalar now lacks its second byte.
        bytes[bytes.count - 1] = UInt8(ascii: "b")
        #expect(throws: CodecError.self) { try String(from: bytes) }
    }
}
