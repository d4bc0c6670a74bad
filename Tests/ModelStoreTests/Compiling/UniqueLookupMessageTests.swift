import Testing

/// The compiler's messages for lookups by fields that are not unique.
@Suite(.serialized, .enabled(if: Compiler.isAvailable)) struct UniqueLookupMessageTests {
    private static let record = """
        enum Region: String, Codable { case north, south }
        @Record @UniqueIndex("room", "shelf") struct Box {
            @ID var id: Int
            @Unique var serial: String
            @Unique var label: String?
            @Unique var region: Region
            @Unique var code: Int
            @Indexed var room: String
            var shelf: Int
        }
        @Record struct Label {
            @ID var id: Int
            var text: String
        }

        """
    private static let message = """
        'get(_:unique:equals:)' is unavailable: this field is not unique by itself: mark it '@Unique', use \
        'get(_:id:)' for an id, or fetch the records by a condition: 'fetch(R.where { $0.field == value })'
        """

    /// Returns the errors of a lookup in a transaction, and of the same lookup on the store.
    private static func errors(_ lookup: String) throws -> [[String]] {
        let uses = ["store.read { tx in try tx.\(lookup) }", "store.\(lookup)"]
        return try uses.map { try Compiler.errors(in: record + "func find(_ store: Store) throws { _ = try \($0) }") }
    }

    @Test func `the compiler refuses a lookup by a field that is not unique, with a remedy`() throws {
        for (field, value) in [("room", "\"a\""), ("shelf", "1"), ("id", "1")] {
            let errors = try Self.errors("get(Box.self, unique: \\.\(field), equals: \(value))")
            #expect(errors == [[Self.message], [Self.message]])
        }
    }

    @Test func `the compiler says the same of a record without unique fields`() throws {
        let errors = try Self.errors("get(Label.self, unique: \\.text, equals: \"a\")")
        #expect(errors == [[Self.message], [Self.message]])
    }

    @Test func `a lookup by a unique field compiles`() throws {
        let lookups = [("serial", "\"a\""), ("label", "\"a\""), ("region", ".north"), ("code", "1")]
        for (field, value) in lookups {
            #expect(try Self.errors("get(Box.self, unique: \\.\(field), equals: \(value))") == [[], []])
        }
    }
}
