import Foundation

extension RecordChange {
    /// Returns the record type after a change of the schema: its version, the names of the id's fields, and its fields. Returns
    /// nil for other changes.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func schema() throws(StoreError) -> JSONValue? {
        guard change.kind == .schema else { return nil }
        let described: RecordType
        do {
            described = try change.describedType()
        } catch {
            throw StoreError(error, at: "the change \(name)")
        }
        let keys = described.idFields.compactMap { described.fieldIndex(ofID: $0) }.map { described.fields[$0].name }
        let columns = described.fields.enumerated().map { fieldIndex, field in
            let isOptional = if case .optional = field.type { true } else { false }
            return JSONValue.object([
                JSONMember("position", .number(JSONNumber(fieldIndex + 1))), JSONMember("name", .string(field.name)),
                JSONMember("typeName", .string(field.type.unwrapped.description)),
                JSONMember("optional", .bool(isOptional)),
            ])
        }
        var members = [
            JSONMember("name", .string(described.name)),
            JSONMember("version", .number(JSONNumber(UInt64(described.version)))),
            JSONMember("primaryKeyColumnNames", .array(keys.map { .string($0) })),
            JSONMember("columns", .array(columns)),
        ]
        if described.isReplaced == true { members.append(JSONMember("isReplaced", .bool(true))) }
        return .object(members)
    }
}

extension FeedChange {
    /// Returns the record type that a change of the schema describes.
    package func describedType() throws(CodecError) -> RecordType {
        do {
            return try JSONDecoder().decode(RecordType.self, from: Data(record))
        } catch {
            throw CodecError("its description cannot be read: \(error)")
        }
    }
}
