import Foundation

// The JSON form of types in the catalog and in schema documents. A scalar is its name (`"string"`), and an optional scalar is the
// name with a question mark (`"string?"`). Other types are objects: `{"optional": …}`, `{"array": …}`, `{"set": …}`,
// `{"dictionary": [key, value]}`, `{"enum": raw, "cases": […], "names": […]}`, `{"struct": [fields]}`, `{"reference": record
// type, "id": type}`.
extension FieldType: Codable {
    private enum Key: String, CodingKey {
        case optional, array, set, dictionary, cases, names, reference, id
        case enumeration = "enum"
        case embedded = "struct"
    }

    public init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            if let scalar = FieldType(scalarName: name) {
                self = scalar
                return
            }
            if name.hasSuffix("?"), let wrapped = FieldType(scalarName: String(name.dropLast())) {
                self = .optional(wrapped)
                return
            }
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "there is no field type \"\(name)\""))
        }
        let container = try decoder.container(keyedBy: Key.self)
        if let wrapped = try container.decodeIfPresent(FieldType.self, forKey: .optional) {
            self = .optional(wrapped)
        } else if let element = try container.decodeIfPresent(FieldType.self, forKey: .array) {
            self = element == .uint8 ? .data : .array(element)
        } else if let element = try container.decodeIfPresent(FieldType.self, forKey: .set) {
            self = .set(element)
        } else if let pair = try container.decodeIfPresent([FieldType].self, forKey: .dictionary), pair.count == 2 {
            self = .dictionary(pair[0], pair[1])
        } else if let raw = try container.decodeIfPresent(FieldType.self, forKey: .enumeration) {
            let names = try container.decodeIfPresent([String].self, forKey: .names)
            let cases = try container.decodeIfPresent([String].self, forKey: .cases)
            self = .enumeration(raw, cases: cases.map { EnumCases($0, names: names) })
        } else if let fields = try container.decodeIfPresent([FieldSchema].self, forKey: .embedded) {
            self = .embedded(EmbeddedSchema(fields: fields))
        } else if let target = try container.decodeIfPresent(String.self, forKey: .reference) {
            self = .reference(to: target, id: try container.decode(FieldType.self, forKey: .id))
        } else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "a field type is a name or an object with optional, array, set, dictionary, "
                        + "enum, struct or reference"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if let scalarName {
            var container = encoder.singleValueContainer()
            return try container.encode(scalarName)
        }
        if case .optional(let wrapped) = self, let name = wrapped.scalarName {
            var container = encoder.singleValueContainer()
            return try container.encode(name + "?")
        }
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .optional(let wrapped): try container.encode(wrapped, forKey: .optional)
        case .array(let element): try container.encode(element, forKey: .array)
        case .set(let element): try container.encode(element, forKey: .set)
        case .dictionary(let key, let value): try container.encode([key, value], forKey: .dictionary)
        case .enumeration(let raw, let cases):
            try container.encode(raw, forKey: .enumeration)
            try container.encodeIfPresent(cases?.rawValues, forKey: .cases)
            // Absent in catalogs that were written before the library stored names.
            try container.encodeIfPresent(cases?.names, forKey: .names)
        case .embedded(let schema): try container.encode(schema.fields, forKey: .embedded)
        case .reference(let target, let id):
            try container.encode(target, forKey: .reference)
            try container.encode(id, forKey: .id)
        default: break
        }
    }
}

extension FieldSchema: Codable {
    private enum Key: String, CodingKey {
        case name, type, renamedFrom, onDelete, `default`
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            type: try container.decode(FieldType.self, forKey: .type),
            defaultValue: try container.decodeIfPresent(FieldDefault.self, forKey: .default),
            renamedFrom: try container.decodeIfPresent([String].self, forKey: .renamedFrom) ?? [],
            onDelete: try container.decodeIfPresent(DeleteRule.self, forKey: .onDelete) ?? .deny)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(defaultValue, forKey: .default)
        if !renamedFrom.isEmpty { try container.encode(renamedFrom, forKey: .renamedFrom) }
        if type.reference != nil { try container.encode(deleteRule, forKey: .onDelete) }
    }
}

extension FieldDefault: Codable {
    private enum Key: String, CodingKey {
        case token, bytes
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let token = try container.decodeIfPresent(DefaultToken.self, forKey: .token) {
            self = .token(token)
        } else {
            self = .value([UInt8](try container.decode(Data.self, forKey: .bytes)))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .token(let token): try container.encode(token, forKey: .token)
        case .value(let bytes): try container.encode(Data(bytes), forKey: .bytes)
        }
    }
}
