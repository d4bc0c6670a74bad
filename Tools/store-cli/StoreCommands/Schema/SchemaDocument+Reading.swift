import Foundation
import StoreEngine

extension SchemaDocument {
    /// The types of a document: `{"types": […]}`, a bare array of types, or one type alone.
    ///
    /// - Throws: ``CommandFailure`` that names the place in the document.
    static func entries(_ bytes: [UInt8], of file: String) throws -> [Entry] {
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
                throw reader.mistake("types[\(index)].name", "there is a type \(schema.name) before it")
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

/// Reads the parts of a schema document and says where it is wrong.
private struct SchemaReader {
    let file: String

    func mistake(_ place: String, _ reason: String) -> CommandFailure {
        CommandFailure(.badData, "\(file): \(place) \(reason)")
    }

    func type(_ json: JSONValue, at place: String) throws -> RecordSchema {
        try checkKeys(
            json, ["name", "version", "id", "assignsIDs", "greatestAssignedID", "fields", "indexes"], at: place)
        guard let name = json["name"]?.string else { throw mistake("\(place).name", "takes a text") }
        let fields = try self.fields(json["fields"], at: "\(place).fields")
        func places(_ json: JSONValue?, at place: String) throws -> [Int] {
            try texts(json, at: place).map { name in
                if let index = fields.firstIndex(where: { $0.name == name }) { return index }
                let suggestion = Suggestion.text(for: name, among: fields.map(\.name))
                throw mistake(place, "names \(name), which is no field\(suggestion)")
            }
        }
        let isAssigned = try flag(json["assignsIDs"], at: "\(place).assignsIDs")
        var indexes: [IndexSchema] = []
        for (number, index) in try array(json["indexes"] ?? .array([]), at: "\(place).indexes").enumerated() {
            let here = "\(place).indexes[\(number)]"
            try checkKeys(index, ["fields", "unique"], at: here)
            indexes.append(
                IndexSchema(
                    try places(index["fields"], at: "\(here).fields"),
                    isUnique: try flag(index["unique"], at: "\(here).unique")))
        }
        return RecordSchema(
            name: name, fields: fields, id: IDSchema(try places(json["id"], at: "\(place).id"), isAssigned: isAssigned),
            indexes: indexes)
    }

    /// The greatest id that the document says was given out. `schema` is valid.
    func greatestAssignedID(_ json: JSONValue, of schema: RecordSchema, at place: String) throws -> UInt64? {
        guard let value = json["greatestAssignedID"] else { return nil }
        let here = "\(place).greatestAssignedID"
        guard schema.id.isAssigned, let field = schema.id.fields.first.map({ schema.fields[$0] }) else {
            throw mistake(here, "is for types with assignsIDs; \(schema.name) assigns none")
        }
        guard let greatest = value.number?.uint64 else { throw mistake(here, "takes an integer not below 0") }
        do {
            // An id that the field cannot hold was given to no record.
            _ = try SchemaDocument.encoded(value, as: field.type)
        } catch {
            throw mistake(here, CommandFailure(error).message)
        }
        return greatest
    }

    private func fields(_ json: JSONValue?, at place: String) throws -> [FieldSchema] {
        try array(json, at: place).enumerated().map { try field($1, at: "\(place)[\($0)]") }
    }

    private func field(_ json: JSONValue, at place: String) throws -> FieldSchema {
        try checkKeys(json, ["name", "type", "default", "renamedFrom", "onDelete"], at: place)
        guard let name = json["name"]?.string else { throw mistake("\(place).name", "takes a text") }
        let type = try fieldType(json["type"], at: "\(place).type")
        return FieldSchema(
            name: name, type: type,
            defaultValue: try json["default"].map { try defaultValue($0, of: type, at: "\(place).default") },
            renamedFrom: try json["renamedFrom"].map { try texts($0, at: "\(place).renamedFrom") } ?? [],
            onDelete: try deleteRule(json["onDelete"], at: "\(place).onDelete"))
    }

    private func deleteRule(_ json: JSONValue?, at place: String) throws -> DeleteRule {
        guard let json else { return .deny }
        if let rule = json.string.flatMap(DeleteRule.init) { return rule }
        throw mistake(place, "takes one of \(DeleteRule.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    private func defaultValue(_ json: JSONValue, of type: FieldType, at place: String) throws -> FieldDefault {
        guard json.object?.count == 1 else {
            throw mistake(place, "takes an object of value, token or bytes")
        }
        if let value = json["value"] {
            do {
                return .value(try SchemaDocument.encoded(value, as: type))
            } catch {
                throw mistake(place, CommandFailure(error).message)
            }
        }
        if let name = json["token"]?.string {
            let fitting: FieldType = name == "now" ? .date : .uuid
            guard let token = DefaultToken(rawValue: name), type == fitting else {
                throw mistake(place, "takes the token now for a date or newID for a uuid, found \(name) for \(type)")
            }
            return .token(token)
        }
        if let text = json["bytes"]?.string, let data = Data(base64Encoded: text) {
            let bytes = [UInt8](data)
            do {
                _ = unsafe try DynamicValue(from: bytes.span.bytes, as: type)
                return .value(bytes)
            } catch {
                throw mistake(place, "is no \(type): \(error.reason)")
            }
        }
        throw mistake(place, "takes an object of value, token or bytes")
    }

    private func fieldType(_ json: JSONValue?, at place: String) throws -> FieldType {
        if let name = json?.string {
            if let type = FieldType(scalarName: name) { return type }
            if name.hasSuffix("?"), let wrapped = FieldType(scalarName: String(name.dropLast())) {
                return .optional(wrapped)
            }
            throw mistake(place, "names the type \(name), which does not exist")
        }
        if let wrapped = json?["optional"] { return .optional(try fieldType(wrapped, at: "\(place).optional")) }
        if let element = json?["array"] {
            let type = try fieldType(element, at: "\(place).array")
            return type == .uint8 ? .data : .array(type)
        }
        if let element = json?["set"] { return .set(try fieldType(element, at: "\(place).set")) }
        if let pair = json?["dictionary"]?.array, pair.count == 2 {
            return .dictionary(
                try fieldType(pair[0], at: "\(place).dictionary[0]"),
                try fieldType(pair[1], at: "\(place).dictionary[1]"))
        }
        if let raw = json?["enum"] {
            let type = try fieldType(raw, at: "\(place).enum")
            guard let cases = try json?["cases"].map({ try texts($0, at: "\(place).cases") }) else {
                return .enumeration(type, cases: nil)
            }
            let names = try json?["names"].map { try texts($0, at: "\(place).names") }
            guard names.map({ $0.count == cases.count }) ?? true else {
                throw mistake("\(place).names", "takes a name for each of the \(cases.count) cases")
            }
            return .enumeration(type, cases: EnumCases(cases, names: names))
        }
        if let fields = json?["struct"] {
            return .embedded(EmbeddedSchema(fields: try self.fields(fields, at: "\(place).struct")))
        }
        if let target = json?["reference"]?.string {
            return .reference(to: target, id: try fieldType(json?["id"], at: "\(place).id"))
        }
        throw mistake(
            place, "takes a name or an object of optional, array, set, dictionary, enum, struct or reference")
    }

    private func array(_ json: JSONValue?, at place: String) throws -> [JSONValue] {
        guard let elements = json?.array else { throw mistake(place, "takes an array") }
        return elements
    }

    private func texts(_ json: JSONValue?, at place: String) throws -> [String] {
        try array(json, at: place).map { element in
            guard let text = element.string else { throw mistake(place, "takes an array of texts") }
            return text
        }
    }

    private func flag(_ json: JSONValue?, at place: String) throws -> Bool {
        guard let json else { return false }
        guard let value = json.bool else { throw mistake(place, "takes true or false") }
        return value
    }

    private func checkKeys(_ json: JSONValue, _ known: [String], at place: String) throws {
        guard let members = json.object else { throw mistake(place, "takes an object") }
        for member in members where !known.contains(member.key) {
            let suggestion = Suggestion.text(for: member.key, among: known)
            throw mistake(place, "has the unknown member \(member.key)\(suggestion)")
        }
    }
}
