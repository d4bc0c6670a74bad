import Foundation
import StoreEngine

extension SchemaDocument {
    /// Reads the types of a document: `{"types": […]}`, a bare array of types, or a single type.
    ///
    /// - Throws: ``CommandFailure`` that names the path in the document.
    package static func entries(_ bytes: [UInt8], of file: String) throws -> [Entry] {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes)
        } catch {
            throw CommandFailure(.badData, "\(file) is not JSON: \(error)")
        }
        let reader = SchemaReader(file: file)
        let types = json["types"] == nil && json.object != nil ? [json] : (json["types"] ?? json).array
        guard let types, !types.isEmpty else {
            throw reader.mistake("types", "takes an array of record types, see `store-cli schema --output json`")
        }
        var entries: [Entry] = []
        for (index, type) in types.enumerated() {
            let schema = try reader.type(type, at: "types[\(index)]")
            guard !entries.contains(where: { $0.schema.name == schema.name }) else {
                throw reader.mistake("types[\(index)].name", "repeats the type \(schema.name)")
            }
            do {
                try schema.validate()
            } catch {
                throw CommandFailure(.badData, "\(file): \(error.text)")
            }
            let greatest = try reader.greatestAssignedID(type, of: schema, at: "types[\(index)]")
            entries.append(Entry(schema: schema, greatestAssignedID: greatest))
        }
        return entries
    }
}

/// Reads the parts of a schema document, and reports mistakes in it.
private struct SchemaReader {
    let file: String

    func mistake(_ location: String, _ reason: String) -> CommandFailure {
        CommandFailure(.badData, "\(file): \(location) \(reason)")
    }

    func type(_ json: JSONValue, at location: String) throws -> RecordSchema {
        try checkKeys(
            json, ["name", "version", "id", "assignsIDs", "greatestAssignedID", "fields", "indexes"], at: location)
        guard let name = json["name"]?.string else { throw mistake("\(location).name", "takes a text") }
        let fields = try self.fields(json["fields"], at: "\(location).fields")
        func fieldIndexes(_ json: JSONValue?, at location: String) throws -> [Int] {
            try texts(json, at: location).map { name in
                if let index = fields.firstIndex(where: { $0.name == name }) { return index }
                let suggestion = Suggestion.text(for: name, among: fields.map(\.name))
                throw mistake(location, "names \(name), which is not a field\(suggestion)")
            }
        }
        let isAssigned = try flag(json["assignsIDs"], at: "\(location).assignsIDs")
        var indexes: [IndexSchema] = []
        for (number, index) in try array(json["indexes"] ?? .array([]), at: "\(location).indexes").enumerated() {
            let here = "\(location).indexes[\(number)]"
            try checkKeys(index, ["fields", "unique"], at: here)
            indexes.append(
                IndexSchema(
                    try fieldIndexes(index["fields"], at: "\(here).fields"),
                    isUnique: try flag(index["unique"], at: "\(here).unique")))
        }
        return RecordSchema(
            name: name, fields: fields,
            id: IDSchema(try fieldIndexes(json["id"], at: "\(location).id"), isAssigned: isAssigned),
            indexes: indexes)
    }

    /// Returns the greatest assigned id in the document. `schema` must be valid.
    func greatestAssignedID(_ json: JSONValue, of schema: RecordSchema, at location: String) throws -> UInt64? {
        guard let value = json["greatestAssignedID"] else { return nil }
        let here = "\(location).greatestAssignedID"
        guard schema.id.isAssigned, let field = schema.id.fields.first.map({ schema.fields[$0] }) else {
            throw mistake(here, "is for types with assignsIDs; \(schema.name) assigns none")
        }
        guard let greatest = value.number?.uint64 else { throw mistake(here, "takes an integer not below 0") }
        do {
            // No record has an id that the field cannot hold.
            _ = try SchemaDocument.encoded(value, as: field.type)
        } catch {
            throw mistake(here, CommandFailure(error).message)
        }
        return greatest
    }

    private func fields(_ json: JSONValue?, at location: String) throws -> [FieldSchema] {
        try array(json, at: location).enumerated().map { try field($1, at: "\(location)[\($0)]") }
    }

    private func field(_ json: JSONValue, at location: String) throws -> FieldSchema {
        try checkKeys(json, ["name", "type", "default", "renamedFrom", "onDelete"], at: location)
        guard let name = json["name"]?.string else { throw mistake("\(location).name", "takes a text") }
        let type = try fieldType(json["type"], at: "\(location).type")
        return FieldSchema(
            name: name, type: type,
            defaultValue: try json["default"].map { try defaultValue($0, of: type, at: "\(location).default") },
            renamedFrom: try json["renamedFrom"].map { try texts($0, at: "\(location).renamedFrom") } ?? [],
            onDelete: try deleteRule(json["onDelete"], at: "\(location).onDelete"))
    }

    private func deleteRule(_ json: JSONValue?, at location: String) throws -> DeleteRule {
        guard let json else { return .deny }
        if let rule = json.string.flatMap(DeleteRule.init) { return rule }
        throw mistake(location, "takes one of \(DeleteRule.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    private func defaultValue(_ json: JSONValue, of type: FieldType, at location: String) throws -> FieldDefault {
        guard json.object?.count == 1 else {
            throw mistake(location, "takes an object of value, token or bytes")
        }
        if let value = json["value"] {
            do {
                return .value(try SchemaDocument.encoded(value, as: type))
            } catch {
                throw mistake(location, CommandFailure(error).message)
            }
        }
        if let name = json["token"]?.string {
            let fitting: FieldType = name == "now" ? .date : .uuid
            guard let token = DefaultToken(rawValue: name), type == fitting else {
                throw mistake(location, "takes the token now for a date or newID for a uuid, found \(name) for \(type)")
            }
            return .token(token)
        }
        if let text = json["bytes"]?.string, let data = Data(base64Encoded: text) {
            let bytes = [UInt8](data)
            do {
                _ = unsafe try DynamicValue(from: bytes.span.bytes, as: type)
                return .value(bytes)
            } catch {
                throw mistake(location, "is not a \(type): \(error.reason)")
            }
        }
        throw mistake(location, "takes an object of value, token or bytes")
    }

    private func fieldType(_ json: JSONValue?, at location: String) throws -> FieldType {
        if let name = json?.string {
            if let type = FieldType(scalarName: name) { return type }
            if name.hasSuffix("?"), let wrapped = FieldType(scalarName: String(name.dropLast())) {
                return .optional(wrapped)
            }
            throw mistake(location, "names the type \(name), which does not exist")
        }
        if let wrapped = json?["optional"] { return .optional(try fieldType(wrapped, at: "\(location).optional")) }
        if let element = json?["array"] {
            let type = try fieldType(element, at: "\(location).array")
            return type == .uint8 ? .data : .array(type)
        }
        if let element = json?["set"] { return .set(try fieldType(element, at: "\(location).set")) }
        if let pair = json?["dictionary"]?.array, pair.count == 2 {
            return .dictionary(
                try fieldType(pair[0], at: "\(location).dictionary[0]"),
                try fieldType(pair[1], at: "\(location).dictionary[1]"))
        }
        if let raw = json?["enum"] {
            let type = try fieldType(raw, at: "\(location).enum")
            guard let cases = try json?["cases"].map({ try texts($0, at: "\(location).cases") }) else {
                return .enumeration(type, cases: nil)
            }
            let names = try json?["names"].map { try texts($0, at: "\(location).names") }
            guard names.map({ $0.count == cases.count }) ?? true else {
                throw mistake("\(location).names", "takes a name for each of the \(cases.count) cases")
            }
            return .enumeration(type, cases: EnumCases(cases, names: names))
        }
        if let fields = json?["struct"] {
            return .embedded(EmbeddedSchema(fields: try self.fields(fields, at: "\(location).struct")))
        }
        if let target = json?["reference"]?.string {
            return .reference(to: target, id: try fieldType(json?["id"], at: "\(location).id"))
        }
        throw mistake(
            location, "takes a name or an object of optional, array, set, dictionary, enum, struct or reference")
    }

    private func array(_ json: JSONValue?, at location: String) throws -> [JSONValue] {
        guard let elements = json?.array else { throw mistake(location, "takes an array") }
        return elements
    }

    private func texts(_ json: JSONValue?, at location: String) throws -> [String] {
        try array(json, at: location).map { element in
            guard let text = element.string else { throw mistake(location, "takes an array of texts") }
            return text
        }
    }

    private func flag(_ json: JSONValue?, at location: String) throws -> Bool {
        guard let json else { return false }
        guard let value = json.bool else { throw mistake(location, "takes true or false") }
        return value
    }

    private func checkKeys(_ json: JSONValue, _ known: [String], at location: String) throws {
        guard let members = json.object else { throw mistake(location, "takes an object") }
        for member in members where !known.contains(member.key) {
            let suggestion = Suggestion.text(for: member.key, among: known)
            throw mistake(location, "has the unknown member \(member.key)\(suggestion)")
        }
    }
}
