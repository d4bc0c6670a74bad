import StoreEngine
import Testing

/// Values given as texts.
@Suite struct ValueTextTests {
    @Test(arguments: [FieldType.date, .uuid, .data, .duration])
    func `a text that is no value is answered with one that is`(type: FieldType) throws {
        let error = #expect(throws: CodecError.self) { try DynamicValue(text: "%", as: type) }
        let reason = try #require(error?.reason)
        let example = try #require(reason.split(separator: "as in ").last?.split(separator: ",").first)
        #expect(reason.hasSuffix("found \"%\""))
        _ = try DynamicValue(text: String(example), as: type)
    }
}
