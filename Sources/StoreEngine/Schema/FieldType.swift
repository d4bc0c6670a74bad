/// The catalog's description of a field's type. It is sufficient to read, check, print and change a value without its Swift type.
public indirect enum FieldType: Hashable, Sendable {
    /// True or false.
    case bool
    /// A signed integer with the width in the name. `Int` is stored as `int64`.
    case int8, int16, int32, int64
    /// An unsigned integer with the width in the name. `UInt` is stored as `uint64`.
    case uint8, uint16, uint32, uint64
    /// A floating-point number of 32 or 64 bits.
    case float, double
    /// Text in UTF-8, or bytes: `Data` and `[UInt8]`.
    case string, data
    /// The Foundation type of this name, or Swift's `Duration`.
    case uuid, date, url, decimal, duration
    /// Any other `Codable` value, as JSON text.
    case json
    /// A value or nil.
    case optional(FieldType)
    /// Values in order.
    case array(FieldType)
    /// Distinct values.
    case set(FieldType)
    /// Values by key.
    case dictionary(FieldType, FieldType)
    /// A raw value, with the raw values of the cases as text if the cases are known.
    case enumeration(FieldType, cases: EnumCases?)
    /// A nested struct whose fields can be addressed.
    case embedded(EmbeddedSchema)
    /// The id of a record of the type with this name.
    case reference(to: String, id: FieldType)
}

extension FieldType {
    /// Whether a field of this type may hold nil.
    public var isOptional: Bool {
        if case .optional = self { return true }
        return false
    }

    /// The type without one layer of optionality.
    package var unwrapped: FieldType {
        if case .optional(let wrapped) = self { return wrapped }
        return self
    }

    /// The raw type of an enumeration, the raw type of the id for a reference, or otherwise the type itself.
    package var rawType: FieldType {
        switch self {
        case .enumeration(let raw, _): raw
        case .reference(_, let id): id.rawType
        default: self
        }
    }

    /// Whether values have an order-preserving key, so that they can form an id or be indexed.
    package var isIndexable: Bool {
        switch self {
        case .json, .array, .set, .dictionary, .embedded: false
        case .optional(let wrapped): wrapped.isIndexable
        case .enumeration(let raw, _): raw.isIndexable
        // The key of an id with several fields is the keys of its fields, one after the other.
        case .reference(_, .embedded(let schema)): schema.fields.allSatisfy(\.type.isIndexable)
        case .reference(_, let id): id.isIndexable
        default: true
        }
    }

    /// Whether an optional contains an optional anywhere. Without the Swift type, the inner nil cannot be distinguished from the
    /// outer nil.
    package var hasNestedOptional: Bool {
        switch self {
        case .optional(let wrapped): wrapped.isOptional || wrapped.hasNestedOptional
        case .array(let element), .set(let element): element.hasNestedOptional
        case .dictionary(let key, let value): key.hasNestedOptional || value.hasNestedOptional
        case .embedded(let schema): schema.fields.contains { $0.type.hasNestedOptional }
        case .reference(_, let id): id.hasNestedOptional
        default: false
        }
    }

    /// Whether the type is an integer of any width.
    package var isInteger: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
        default: false
        }
    }

    /// The size of every encoded value in bytes; nil if sizes differ.
    package var fixedByteCount: Int? {
        switch self {
        case .bool, .int8, .uint8: 1
        case .int16, .uint16: 2
        case .int32, .uint32, .float: 4
        case .int64, .uint64, .double, .date: 8
        case .uuid, .duration: 16
        case .enumeration(let raw, _): raw.fixedByteCount
        case .reference(_, let id): id.fixedByteCount
        default: nil
        }
    }
}

extension FieldType: CustomStringConvertible {
    /// The type in readable form, for tables and messages: `string?`, `[int64]`, `enum<string>(eu, us)`.
    public var description: String {
        switch self {
        case .optional(let wrapped): "\(wrapped)?"
        case .array(let element): "[\(element)]"
        case .set(let element): "set<\(element)>"
        case .dictionary(let key, let value): "[\(key): \(value)]"
        case .enumeration(let raw, let cases):
            "enum<\(raw)>" + (cases.map { "(\($0))" } ?? "")
        case .embedded(let schema):
            "{" + schema.fields.map { "\($0.name): \($0.type)" }.joined(separator: ", ") + "}"
        case .reference(let target, let id): "\(target)<\(id)>"
        default: scalarName ?? "?"
        }
    }

    /// The name of a type without parts; nil for other types.
    package var scalarName: String? { FieldType.scalarNames[self] }

    /// Creates the type without parts that has a name; nil if no type has it.
    package init?(scalarName: String) {
        guard let found = FieldType.scalars.first(where: { $0.name == scalarName }) else { return nil }
        self = found.type
    }

    private static let scalars: [(name: String, type: FieldType)] = [
        ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64),
        ("uint8", .uint8), ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64),
        ("float", .float), ("double", .double), ("string", .string), ("data", .data), ("uuid", .uuid),
        ("date", .date), ("url", .url), ("decimal", .decimal), ("duration", .duration), ("json", .json),
    ]
    private static let scalarNames = Dictionary(uniqueKeysWithValues: scalars.map { ($0.type, $0.name) })
}
