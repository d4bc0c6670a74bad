/// Renders the nested `ID` of a record with several `@ID` properties.
///
/// It is an embedded value with a key. Other records can store it as a field, and conditions can use its parts.
struct CompositeIDRenderer {
    let record: StructDescription
    let indices: [Int]

    func rendered() -> String {
        let modifier = record.access.modifier
        let inlinable = record.isExported ? "@inlinable " : ""
        let parts = indices.map { record.fields[$0] }
        let structure = StructDescription(
            typeName: "\(record.typeName).ID",
            access: record.access,
            fields: parts.map(part),
            inlinesEncoding: record.isExported,
            inlinesDecoding: record.isExported,
            isExported: record.isExported
        )
        let common = StructRenderer(structure: structure)
        let keys = parts.map { "writer._append(key: self.\($0.reference))" }
        let members =
            [parts.map { "\(modifier)var \($0.reference): \($0.type)" }.joined(separator: "\n"), initializer(parts)]
            + common.tokens() + [EmbeddedRenderer(value: structure).schema()] + common.codec() + [
                """
                \(inlinable)\(modifier)func encodeKey(to writer: inout ModelStore.ByteWriter) {
                \(keys.joined(separator: "\n").indented)
                }
                """
            ]
        return """
            \(modifier)nonisolated struct ID: ModelStore.EmbeddedValue, ModelStore.IndexableValue {
            \(members.joined(separator: "\n\n").indented)
            }
            """
    }

    /// Returns the field of a part. It has the access level of the id, can be set, and has no default, because an id is always
    /// complete.
    private func part(_ field: FieldDescription) -> FieldDescription {
        FieldDescription(
            name: field.name,
            reference: field.reference,
            type: field.type,
            access: record.access,
            isInlinable: record.isExported,
            isReadOnly: false,
            isDeprecated: false,
            initialValue: .none,
            oldNames: field.oldNames,
            place: field.place
        )
    }

    private func initializer(_ parts: [FieldDescription]) -> String {
        let inlinable = record.isExported ? "@inlinable " : ""
        let parameters = parts.map { "\($0.reference): \($0.type)" }.joined(separator: ", ")
        let assignments = parts.map { "self.\($0.reference) = \($0.reference)" }.joined(separator: "\n")
        return "\(inlinable)\(record.access.modifier)init(\(parameters)) {\n\(assignments.indented)\n}"
    }
}
