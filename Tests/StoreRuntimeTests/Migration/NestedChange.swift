import StoreEngine

/// A change inside a value that opening a store accepts without a migration.
enum NestedChange: String, CaseIterable {
    case furtherCase, optionalField, defaultedField, widerNumber, optionalNumber, renamedField, fieldLess
    case widerScalar, furtherScalarCase

    private static let count = FieldSchema("count", Int16.self)
    private static let region = FieldSchema(
        name: "region", type: .enumeration(.string, cases: ["eu"]), defaultValue: nil, renamedFrom: [])

    private static func structure(_ fields: FieldSchema...) -> FieldType { .embedded(EmbeddedSchema(fields: fields)) }

    /// The type before the change.
    var old: FieldType {
        switch self {
        case .widerScalar: .int16
        case .furtherScalarCase: Self.region.type
        default: Self.structure(Self.count, Self.region)
        }
    }

    /// The declared type after the change.
    var declared: FieldType {
        let wide = FieldSchema("count", Int64.self)
        let further = FieldType.enumeration(.string, cases: ["us", "eu"])
        let furtherRegion = FieldSchema(name: "region", type: further, defaultValue: nil, renamedFrom: [])
        return switch self {
        case .furtherCase: Self.structure(Self.count, furtherRegion)
        case .optionalField: Self.structure(Self.count, FieldSchema("note", String?.self), Self.region)
        case .defaultedField: Self.structure(FieldSchema("level", Int.self, default: 7), Self.count, Self.region)
        case .widerNumber: Self.structure(wide, Self.region)
        case .optionalNumber: Self.structure(FieldSchema("count", Int16?.self), Self.region)
        case .renamedField: Self.structure(FieldSchema("number", Int16.self, renamedFrom: ["count"]), Self.region)
        case .fieldLess: Self.structure(Self.region)
        case .widerScalar: .int64
        case .furtherScalarCase: further
        }
    }

    /// The stored type after the change.
    var stored: FieldType {
        self == .fieldLess ? Self.structure(Self.region, FieldSchema("count", Int16?.self)) : declared
    }

    /// Two values before the change.
    var before: [DynamicValue] {
        switch self {
        case .widerScalar: [.int(-1), .int(300)]
        case .furtherScalarCase: [.string("eu")]
        default: [.fields([.int(300), .string("eu")]), .fields([.int(-2), .string("eu")])]
        }
    }

    /// The same values after the change.
    var after: [DynamicValue] {
        switch self {
        case .optionalField: [.fields([.int(300), .none, .string("eu")]), .fields([.int(-2), .none, .string("eu")])]
        case .defaultedField:
            [.fields([.int(7), .int(300), .string("eu")]), .fields([.int(7), .int(-2), .string("eu")])]
        case .fieldLess: [.fields([.string("eu"), .int(300)]), .fields([.string("eu"), .int(-2)])]
        default: before
        }
    }
}

/// The kinds of types that can contain a changed value.
enum NestedPlace: String, CaseIterable {
    case structure, optional, array, set, dictionary, key, arrayInDictionary, structInStructInArray

    /// Returns the type of a field that contains `inner`.
    func type(_ inner: FieldType) -> FieldType {
        switch self {
        case .structure: .embedded(EmbeddedSchema(fields: [FieldSchema("tail", Int.self), Self.field("inner", inner)]))
        case .optional: .optional(inner)
        case .array: .array(inner)
        case .set: .set(inner)
        case .dictionary: .dictionary(.string, inner)
        case .key: .dictionary(inner, .string)
        case .arrayInDictionary: .dictionary(.int32, .optional(.array(inner)))
        case .structInStructInArray:
            .array(.embedded(EmbeddedSchema(fields: [Self.field("inner", NestedPlace.structure.type(inner))])))
        }
    }

    private static func field(_ name: String, _ type: FieldType) -> FieldSchema {
        FieldSchema(name: name, type: type, defaultValue: nil, renamedFrom: [])
    }

    /// Returns the value of a field that contains the values.
    func value(_ inner: [DynamicValue]) -> DynamicValue {
        switch self {
        case .structure: .fields([.int(5), inner[0]])
        case .optional: inner[0]
        case .array, .set: .list(inner)
        case .dictionary: .pairs(inner.enumerated().map { DynamicPair(key: .string("k\($0)"), value: $1) })
        case .key: .pairs(inner.enumerated().map { DynamicPair(key: $1, value: .string("v\($0)")) })
        case .arrayInDictionary: .pairs([DynamicPair(key: .int(1), value: .list(inner))])
        case .structInStructInArray: .list(inner.map { .fields([.fields([.int(5), $0])]) })
        }
    }

    /// Whether the container distinguishes its elements by the changed value.
    var isDistinct: Bool { self == .set || self == .key }
}
