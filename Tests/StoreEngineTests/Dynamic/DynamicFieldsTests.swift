import StoreEngine
import Testing

@Suite("Fields from the members of a JSON object") struct DynamicFieldsTests {
    static let fields = [
        FieldSchema("id", String.self), FieldSchema("celsius", Double.self, default: 20.5),
        FieldSchema("note", String?.self),
    ]

    @Test func `A field that nobody names gets its default, or none`() throws {
        let values = try DynamicFields.values(from: [JSONMember("id", "s1")], for: Self.fields)
        #expect(values == [.string("s1"), .double(20.5), .none])
    }

    @Test func `Members may come in any order`() throws {
        let members = [JSONMember("note", "n"), JSONMember("celsius", 1.5), JSONMember("id", "s1")]
        let values = try DynamicFields.values(from: members, for: Self.fields)
        #expect(values == [.string("s1"), .double(1.5), .string("n")])
    }

    @Test func `A missing field without a default is named`() {
        #expect(throws: CodecError.self) { try DynamicFields.values(from: [], for: Self.fields) }
    }
}
