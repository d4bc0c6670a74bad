import StoreEngine
import StoreExpressions

/// A record type with a field of every kind, for expressions.
enum ExpressionSample {
    static let type: RecordType = {
        do {
            return try RecordType(id: 1, declared: RecordSchema(name: "Thing", fields: fields, id: IDSchema([0])))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private static let fields: [FieldSchema] = [
        field("id", .int64), field("name", .string), field("note", .optional(.string)), field("active", .bool),
        field("checked", .optional(.bool)), field("small", .int8), field("level", .uint8), field("big", .uint64),
        field("count", .int64), field("other", .optional(.int64)), field("ratio", .float), field("celsius", .double),
        field("price", .decimal), field("seen", .date), field("left", .optional(.date)), field("key", .uuid),
        field("link", .url), field("wait", .duration), field("blob", .data), field("doc", .json),
        field("region", .enumeration(.string, cases: ["eu", "us"])),
        field("grade", .optional(.enumeration(.int16, cases: ["1", "2"]))),
        field("state", .enumeration(.string, cases: nil)), field("tags", .array(.string)),
        field("marks", .set(.optional(.int32))), field("docs", .array(.json)),
        field("limits", .dictionary(.string, .int64)),
        field("address", .optional(.embedded(EmbeddedSchema(fields: inner)))),
        field("rank", .optional(.enumeration(.int8, cases: EnumCases(["1", "5"], names: ["low", "high"])))),
        field("ranks", .array(.enumeration(.int8, cases: EnumCases(["1", "5"], names: ["low", "high"])))),
        field("odd name", .int32), field("a.b", .int32), field("not", .bool), field("größe", .int32),
    ]

    private static let inner: [FieldSchema] = [
        field("city", .string), field("zip", .optional(.int32)), field("true", .bool),
        field("geo", .embedded(EmbeddedSchema(fields: [field("lat", .double), field("tags", .set(.string))]))),
    ]

    private static func field(_ name: String, _ type: FieldType) -> FieldSchema {
        FieldSchema(name: name, type: type, defaultValue: nil, renamedFrom: [])
    }

    static func parse(_ text: String) throws(ExpressionError) -> ConditionNode {
        try ExpressionParser.condition(text, of: type, named: "--where")
    }
}
