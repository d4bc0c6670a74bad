import Foundation
package import StoreEngine
import StoreRuntime

/// The record types at a place of a trace: they change with it, and by them its values are written and read.
package struct TraceSchema: Sendable {
    /// By number, also those that others took the place of.
    private(set) var types: [UInt32: RecordType]
    /// The types that have a name now.
    private var numbers: [String: UInt32] = [:]
    /// How the trace writes values.
    let form: ValueForm

    package init(_ types: [RecordType], _ form: ValueForm) {
        self.form = form
        self.types = Dictionary(types.map { ($0.id, $0) }) { _, last in last }
        for type in types.sorted(by: { $0.id < $1.id }) where type.isReplaced != true { numbers[type.name] = type.id }
    }

    /// The types that are not replaced, by number.
    package var current: [RecordType] { numbers.values.sorted().compactMap { types[$0] } }

    /// The names of all types whose records a live query may read: those of its own, of those that its condition looks for
    /// among what refers to them, and of all that these refer to, directly or by others.
    func reachable(from key: LiveKey) -> Set<String> {
        var found: Set<String> = []
        var open = [key.typeName] + key.request.condition.referringTypes
        while let next = open.popLast() {
            guard found.insert(next).inserted, let type = try? type(named: next) else { continue }
            open += type.fields.compactMap { $0.type.reference?.target }
        }
        return found
    }

    /// Takes a type's new description.
    mutating func become(_ type: RecordType) {
        types[type.id] = type
        if type.isReplaced == true {
            if numbers[type.name] == type.id { numbers[type.name] = nil }
        } else {
            numbers[type.name] = type.id
        }
    }

    /// How the trace calls the type with this number: by its name, or, where another has that now, by the number.
    func name(of number: UInt32) -> String {
        guard let type = types[number], numbers[type.name] == number else { return "#\(number)" }
        return type.name
    }

    /// The type that the trace calls so.
    ///
    /// - Throws: ``TraceMistake``.
    func type(named name: String) throws(TraceMistake) -> RecordType {
        if let number = numbers[name], let type = types[number] { return type }
        if name.hasPrefix("#"), let number = UInt32(name.dropFirst()), let type = types[number] { return type }
        throw TraceMistake("there is no record type \(name) at this place")
    }
}

// Records as JSON, by the schema of their time.
extension RecordType {
    /// A stored record.
    func json(record bytes: [UInt8], _ form: ValueForm) throws(CodecError) -> JSONValue {
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        let table = try record.table
        guard record.schemaVersion == version, table.count == fields.count else {
            throw CodecError(
                "a record of \(name) is of version \(record.schemaVersion), and the type of \(version) at this place")
        }
        return try json(newest: table, form)
    }

    /// The fields of a record of the newest version.
    func json(newest table: FieldTable, _ form: ValueForm) throws(CodecError) -> JSONValue {
        var members: [JSONMember] = []
        members.reserveCapacity(fields.count)
        for (fieldIndex, field) in fields.enumerated() {
            let value = try DynamicValue(from: table.field(fieldIndex), as: field.type)
            members.append(JSONMember(field.name, value.json(as: field.type, form)))
        }
        return .object(members)
    }

    /// The id in a record as a JSON object.
    func id(in record: JSONValue) -> JSONValue {
        let parts = idFields.compactMap(fieldIndex(ofID:)).map { record[fields[$0].name] ?? .null }
        return parts.count == 1 ? parts[0] : .array(parts)
    }

    /// The values of an id, for each of its fields.
    func id(_ json: JSONValue, _ form: ValueForm) throws -> [DynamicValue] {
        let fieldIndexes = idFields.compactMap(fieldIndex(ofID:))
        let parts = fieldIndexes.count == 1 ? [json] : json.array ?? []
        guard parts.count == fieldIndexes.count else { throw TraceMistake("an id of \(name) has \(parts.count) parts") }
        return try zip(parts, fieldIndexes).map { part, fieldIndex in try value(part, of: fields[fieldIndex], form) }
    }

    /// The values of all fields, from a JSON object.
    func values(_ json: JSONValue, _ form: ValueForm) throws -> [DynamicValue] {
        guard let members = json.object else { throw TraceMistake("a record of \(name) is no object") }
        do {
            return try DynamicFields.values(from: members, for: fields.map(\.schema), form)
        } catch {
            throw TraceMistake("a record of \(name): \(error.reason)")
        }
    }

    /// The value of one field.
    func value(_ json: JSONValue, of field: StoredField, _ form: ValueForm) throws -> DynamicValue {
        do {
            return try DynamicValue(json: json, as: field.type, form)
        } catch {
            throw TraceMistake("\(name).\(field.name): \(error.reason)")
        }
    }
}
