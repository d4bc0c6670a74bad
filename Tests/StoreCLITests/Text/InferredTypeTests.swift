import StoreEngine
import Testing

@testable import StoreCommands

@Suite struct InferredTypeTests {
    private func type(of numbers: String...) throws -> FieldType {
        let inferred = InferredType(isText: false)
        for (line, number) in zip(1..., numbers) {
            inferred.add(.number(try #require(JSONNumber(text: number))), line: line)
        }
        return inferred.type
    }

    @Test func `numbers get the narrowest type that holds them all`() throws {
        #expect(try type(of: "1", "-1") == .int64)
        #expect(try type(of: "1", "18446744073709551615") == .uint64)
        #expect(try type(of: "-1", "18446744073709551615") == .decimal)
        #expect(try type(of: "18446744073709551616") == .decimal)
        #expect(try type(of: "1", "0.5") == .double)
        #expect(try type(of: "9007199254740993", "0.5") == .decimal)
    }
}
