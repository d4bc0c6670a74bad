/// Field values from the members of a JSON object.
package enum DynamicFields {
    /// Returns a value for each of `fields`: the value of its member, otherwise the field's default, otherwise none if the field
    /// is optional.
    ///
    /// - Throws: ``CodecError`` that names the field: an unknown field (with the nearest name), a missing field, or a field whose
    ///   value does not match its type.
    package static func values(
        from members: [JSONMember], for fields: [FieldSchema], _ form: ValueForm = .plain
    ) throws(CodecError) -> [DynamicValue] {
        for member in members where !fields.contains(where: { $0.name == member.key }) {
            let nearest = NearestName.find(member.key, among: fields.map(\.name))
            throw CodecError("\(member.key): there is no such field" + (nearest.map { ", did you mean \($0)?" } ?? ""))
        }
        var values: [DynamicValue] = []
        values.reserveCapacity(fields.count)
        for (index, field) in fields.enumerated() {
            // Members are usually in the order of the schema.
            let isInOrder = index < members.count && members[index].key == field.name
            if let member = isInOrder ? members[index] : members.first(where: { $0.key == field.name }) {
                let json = member.value
                do {
                    values.append(try DynamicValue(json: json, as: field.type, form))
                } catch {
                    throw CodecError("\(field.name): \(error.reason)")
                }
            } else {
                values.append(try missing(field))
            }
        }
        return values
    }

    /// Returns the value of a field without a member: its default, or none if the field is optional.
    package static func missing(_ field: FieldSchema) throws(CodecError) -> DynamicValue {
        switch field.defaultValue {
        case .value(let bytes): return unsafe try DynamicValue(from: bytes.span.bytes, as: field.type)
        case .token(.now): return .date(.transactionTime)
        case .token(.newID): return .uuid(.newID)
        case nil:
            if field.type.isOptional { return .none }
            throw CodecError("\(field.name): is missing and has no default")
        }
    }
}

extension DynamicRecord {
    /// Returns this record as a JSON object, with its members in the order of the schema.
    package func json(_ type: RecordType, _ form: ValueForm = .plain) -> JSONValue {
        .object(zip(type.fields, values).map { JSONMember($0.name, $1.json(as: $0.type, form)) })
    }

    /// Returns this record's id as a JSON value: an array if the id has several fields.
    package func idJSON(_ type: OpenType) -> JSONValue {
        let parts = type.idParts.map { values[$0.fieldIndex].json(as: type.type.fields[$0.fieldIndex].type) }
        return parts.count == 1 ? parts[0] : .array(parts)
    }
}
