import Foundation
package import StoreEngine
import StoreRuntime

/// The record types at one point of a trace. They change along the trace, and values are written and read with them.
package struct TraceSchema: Sendable {
    /// By number, including types that were replaced.
    private(set) var types: [UInt32: RecordType]
    /// The numbers of the current types, by name.
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

    /// Returns the names of all types whose records a live query may read. These are its own type, the types whose references its
    /// condition follows back, and all types that these refer to, directly or indirectly.
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

    /// Returns the name of a type in the trace: its name, or its number if another type has that name now.
    func name(of number: UInt32) -> String {
        guard let type = types[number], numbers[type.name] == number else { return "#\(number)" }
        return type.name
    }

    /// Returns the type with this name in the trace.
    ///
    /// - Throws: ``TraceMistake``.
    func type(named name: String) throws(TraceMistake) -> RecordType {
        if let number = numbers[name], let type = types[number] { return type }
        if name.hasPrefix("#"), let number = UInt32(name.dropFirst()), let type = types[number] { return type }
        throw TraceMistake("there is no record type \(name) at this point of the trace")
    }
}

// Records as JSON, with the schema at their position in the trace.
extension RecordType {
    /// Returns a stored record as JSON.
    func json(record bytes: [UInt8], _ form: ValueForm) throws(CodecError) -> JSONValue {
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        let table = try record.table
        guard hasNewestForm(inVersion: record.schemaVersion), table.count == fields.count else {
            throw CodecError(
                "a record of \(name) has version \(record.schemaVersion), but its type has version \(version) at this point"
            )
        }
        return try json(newest: table, form)
    }

    /// Returns the fields of a record of the newest version as JSON.
    func json(newest table: FieldTable, _ form: ValueForm) throws(CodecError) -> JSONValue {
        var members: [JSONMember] = []
        members.reserveCapacity(fields.count)
        for (fieldIndex, field) in fields.enumerated() {
            let value = try DynamicValue(from: table.field(fieldIndex), as: field.type)
            members.append(JSONMember(field.name, value.json(as: field.type, form)))
        }
        return .object(members)
    }

    /// Returns the id in a record as a JSON object.
    func id(in record: JSONValue) -> JSONValue {
        let parts = idFields.compactMap(fieldIndex(ofID:)).map { record[fields[$0].name] ?? .null }
        return parts.count == 1 ? parts[0] : .array(parts)
    }

    /// Returns the values of an id, one for each of its fields.
    func id(_ json: JSONValue, _ form: ValueForm) throws -> [DynamicValue] {
        let fieldIndexes = idFields.compactMap(fieldIndex(ofID:))
        let parts = fieldIndexes.count == 1 ? [json] : json.array ?? []
        guard parts.count == fieldIndexes.count else { throw TraceMistake("an id of \(name) has \(parts.count) parts") }
        return try zip(parts, fieldIndexes).map { part, fieldIndex in try value(part, of: fields[fieldIndex], form) }
    }

    /// Returns the values of all fields of a JSON object.
    func values(_ json: JSONValue, _ form: ValueForm) throws -> [DynamicValue] {
        guard let members = json.object else { throw TraceMistake("a record of \(name) is not an object") }
        do {
            return try DynamicFields.values(from: members, for: fields.map(\.schema), form)
        } catch {
            throw TraceMistake("a record of \(name): \(error.reason)")
        }
    }

    /// Returns the value of one field.
    func value(_ json: JSONValue, of field: StoredField, _ form: ValueForm) throws -> DynamicValue {
        do {
            return try DynamicValue(json: json, as: field.type, form)
        } catch {
            throw TraceMistake("\(name).\(field.name): \(error.reason)")
        }
    }
}
