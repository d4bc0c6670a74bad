package import StoreEngine
import StoreRuntime

/// A store's schema as a JSON document: what `schema --output json` prints and `create --schema` takes.
///
/// ```
/// {"types": [{
///   "name": "Sensor", "version": 1, "id": ["id"], "assignsIDs": false,
///   "fields": [{"name": "id", "type": "string"}, {"name": "on", "type": "bool", "default": {"value": true}}],
///   "indexes": [{"fields": ["room"], "unique": false}]
/// }]}
/// ```
///
/// A type has one of these forms:
///
/// - the name of a scalar (`"int64"`)
/// - the name of a scalar with a question mark (`"int64?"`), if the value may be missing
/// - an object of one key: `optional`, `array`, `set`, `dictionary` (key and value) or `struct` (fields)
/// - an object with `enum` (the raw type), and with `cases` and their `names` if they are known
/// - an object with `reference` (the record type) and `id` (the type of its id)
///
/// A default is a value, a token (`now`, `newID`) that each insert resolves, or the bytes of a value that JSON cannot represent.
/// Parts that the document leaves out are empty: no default, no indexes, no earlier names.
package enum SchemaDocument {
    /// A type in a document.
    package struct Entry {
        package var schema: RecordSchema
        /// The greatest assigned id; nil if the document does not contain it, or the type assigns none.
        package var greatestAssignedID: UInt64?
    }

    /// Returns the document of several types.
    package static func json(_ types: [DescribedType]) throws -> JSONValue {
        .object([JSONMember("types", .array(try types.map(json)))])
    }

    /// Returns the part of the document for one type.
    static func json(_ described: DescribedType) throws -> JSONValue {
        let schema = described.type.schema
        func names(_ fieldIndexes: [Int]) -> JSONValue { .array(fieldIndexes.map { .string(schema.fields[$0].name) }) }
        var members = [
            JSONMember("name", .string(schema.name)),
            JSONMember("version", .number(JSONNumber(UInt64(described.type.version)))),
            JSONMember("id", names(schema.id.fields)),
            JSONMember("assignsIDs", .bool(schema.id.isAssigned)),
        ]
        if let greatest = described.greatestAssignedID {
            members.append(JSONMember("greatestAssignedID", .number(JSONNumber(greatest))))
        }
        members.append(JSONMember("fields", .array(try schema.fields.map(json))))
        members.append(
            JSONMember(
                "indexes",
                .array(
                    schema.indexes.map {
                        .object([JSONMember("fields", names($0.fields)), JSONMember("unique", .bool($0.isUnique))])
                    })))
        return .object(members)
    }

    /// Returns a default in the form of the document.
    static func json(_ value: FieldDefault, of type: FieldType) throws -> JSONValue {
        switch value {
        case .token(let token): return .object([JSONMember("token", .string(token.rawValue))])
        case .value(let bytes):
            let json = unsafe try DynamicValue(from: bytes.span.bytes, as: type).json(as: type)
            if let again = try? encoded(json, as: type), again == bytes {
                return .object([JSONMember("value", json)])
            }
            return .object([JSONMember("bytes", DynamicValue.data(bytes).json(as: .data))])
        }
    }

    private static func json(_ field: FieldSchema) throws -> JSONValue {
        var members = [JSONMember("name", .string(field.name)), JSONMember("type", try json(field.type))]
        if let value = field.defaultValue { members.append(JSONMember("default", try json(value, of: field.type))) }
        if !field.renamedFrom.isEmpty {
            members.append(JSONMember("renamedFrom", .array(field.renamedFrom.map { .string($0) })))
        }
        if field.type.reference != nil {
            members.append(JSONMember("onDelete", .string(field.deleteRule.rawValue)))
        }
        return .object(members)
    }

    private static func json(_ type: FieldType) throws -> JSONValue {
        if let name = type.scalarName { return .string(name) }
        switch type {
        case .optional(let wrapped):
            if let name = wrapped.scalarName { return .string(name + "?") }
            return .object([JSONMember("optional", try json(wrapped))])
        case .array(let element): return .object([JSONMember("array", try json(element))])
        case .set(let element): return .object([JSONMember("set", try json(element))])
        case .dictionary(let key, let value):
            return .object([JSONMember("dictionary", .array([try json(key), try json(value)]))])
        case .enumeration(let raw, let cases):
            var members = [JSONMember("enum", try json(raw))]
            if let cases { members.append(JSONMember("cases", .array(cases.map { .string($0) }))) }
            if let names = cases?.names { members.append(JSONMember("names", .array(names.map { .string($0) }))) }
            return .object(members)
        case .embedded(let schema):
            return .object([JSONMember("struct", .array(try schema.fields.map(json)))])
        case .reference(let target, let id):
            return .object([JSONMember("reference", .string(target)), JSONMember("id", try json(id))])
        default: throw CommandFailure(.badData, "a schema document cannot contain a field of type \(type)")
        }
    }

    /// Returns the bytes of a value in JSON form.
    static func encoded(_ json: JSONValue, as type: FieldType) throws -> [UInt8] {
        var writer = ByteWriter()
        try DynamicValue(json: json, as: type).encode(as: type, to: &writer)
        return writer.array()
    }
}

/// A record type of a store, with the facts that the store keeps about it besides its records.
package struct DescribedType {
    var type: RecordType
    /// The greatest assigned id; nil if the type assigns none.
    var greatestAssignedID: UInt64?

    package init(type: RecordType, greatestAssignedID: UInt64? = nil) {
        self.type = type
        self.greatestAssignedID = greatestAssignedID
    }

    /// Returns all types of a store, or the one with this name, in one snapshot.
    static func all(_ store: Store, named name: String?) throws -> [DescribedType] {
        try store.read { transaction in
            let reading = transaction._reading
            let types = reading.catalog.types
            let typeIndexes = try name.map { [try reading.catalog.requireTypeIndex(named: $0)] } ?? Array(types.indices)
            return try typeIndexes.map { typeIndex in
                let type = types[typeIndex]
                let greatest = type.assignedFieldIndex == nil ? nil : try reading.greatestAssignedID(of: type)
                return DescribedType(type: type.type, greatestAssignedID: greatest)
            }
        }
    }
}
