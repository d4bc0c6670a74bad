import StoreEngine
import Testing

@Suite struct SchemaValidationTests {
    private func problem(
        _ fields: [FieldSchema], id: IDSchema = IDSchema([0]), indexes: [IndexSchema] = [], name: String = "T"
    ) -> String? {
        do {
            try RecordSchema(name: name, fields: fields, id: id, indexes: indexes).validate()
            return nil
        } catch {
            return error.message
        }
    }

    private let id = FieldSchema("id", Int.self)

    @Test func `a schema that says what it must is fine`() {
        #expect(
            problem([id, FieldSchema("note", String?.self)], indexes: [IndexSchema([1]), IndexSchema([1, 0])]) == nil)
    }

    @Test(arguments: [
        FieldType.optional(.optional(.string)), .array(.optional(.optional(.int8))),
        .dictionary(.string, .optional(.optional(.bool))), .optional(.array(.set(.optional(.optional(.uuid))))),
        .embedded(
            EmbeddedSchema(fields: [
                FieldSchema(name: "x", type: .optional(.optional(.date)), defaultValue: nil, renamedFrom: [])
            ])),
    ])
    func `an optional of an optional is refused: the catalog alone cannot tell its nones apart`(type: FieldType) {
        let field = FieldSchema(name: "deep", type: type, defaultValue: nil, renamedFrom: [])
        #expect(problem([id, field])?.contains("deep") == true)
    }

    @Test func `what contradicts itself is refused`() {
        #expect(problem([], id: IDSchema([])) != nil)
        #expect(problem([id], name: "") != nil)
        #expect(problem([id], name: String(repeating: "n", count: 256)) != nil)
        #expect(problem([id, id]) != nil)
        #expect(problem([id], id: IDSchema([])) != nil)
        #expect(problem([id], id: IDSchema([1])) != nil)
        #expect(problem([id], id: IDSchema([0, 0])) != nil)
        #expect(problem([FieldSchema("id", Int?.self)]) != nil)
        #expect(problem([FieldSchema("id", [Int].self)]) != nil)
        #expect(problem([FieldSchema("id", String.self)], id: IDSchema([0], isAssigned: true)) != nil)
        #expect(problem([id], indexes: [IndexSchema([])]) != nil)
        #expect(problem([id], indexes: [IndexSchema([5])]) != nil)
        #expect(problem([id], indexes: [IndexSchema([0]), IndexSchema([0], isUnique: true)]) != nil)
        #expect(problem([id, FieldSchema("tags", [[String]].self)], indexes: [IndexSchema([1])]) != nil)
        #expect(problem([id, FieldSchema("tags", [String].self)], indexes: [IndexSchema([1], isUnique: true)]) != nil)
        #expect(problem([id, FieldSchema("tags", [String].self)], indexes: [IndexSchema([0, 1])]) != nil)
    }

    @Test func `references stand where they can be followed, and by rules that can be`() {
        func field(_ type: FieldType, _ rule: DeleteRule = .deny) -> FieldSchema {
            FieldSchema(name: "room", type: type, defaultValue: nil, renamedFrom: [], onDelete: rule)
        }
        let room = FieldType.reference(to: "Room", id: .string)
        for type in [room, .optional(room), .array(room), .set(room), .optional(.array(room))] {
            #expect(problem([id, field(type)]) == nil, "\(type)")
        }
        let inner = EmbeddedSchema(fields: [field(room)])
        for type in [
            .array(.optional(room)), .array(.array(room)), .dictionary(.string, room), .embedded(inner),
            .array(.embedded(inner)), .reference(to: "Room", id: .array(.string)), .reference(to: "", id: .string),
        ] as [FieldType] {
            #expect(problem([id, field(type)]) != nil, "\(type)")
        }
        #expect(problem([id, field(room, .nullify)]) != nil)
        #expect(problem([id, field(.optional(room), .nullify)]) == nil)
        #expect(problem([id, field(.array(room), .nullify)]) == nil)
        #expect(problem([id, field(.string, .cascade)]) != nil)
    }
}
