/// A compiled condition on fields of a record and of records that it refers to. It tests the fields as if they were optional
/// fields of one record. A field is none where a reference on its path leads to no record.
struct JoinedComparison {
    private struct Part {
        let access: FieldAccess
        /// The path to the record that has the field; nil for the record itself.
        let path: ReferencePath?

        func append(_ table: FieldTable, to writer: inout ByteWriter) throws(CodecError) {
            guard let bytes = try access.bytes(table) else { return }
            writer.append(byte: 1)
            writer.append(bytes)
        }
    }

    private let parts: [Part]
    private let condition: CompiledCondition

    /// - Parameter hops: the number of references that lead to the records of `type`.
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a path goes through too many references, or where fields of
    ///   these types cannot be compared.
    init(_ node: ConditionNode, of type: OpenType, behind hops: Int, in catalog: Catalog) throws(StoreError) {
        var parts: [Part] = []
        var fields: [FieldSchema] = []
        for name in node.fieldNames where !fields.contains(where: { $0.name == name.description }) {
            let path = try ReferencePath(name, from: type, in: catalog)
            if let path, hops + path.hops.count > ReferencePath.maximumHops {
                throw ReferencePath.tooLong(name, in: type.name)
            }
            let access = if let path { path.access } else { try FieldAccess(name, of: type.type) }
            parts.append(Part(access: access, path: path))
            fields.append(
                FieldSchema(
                    name: name.description, type: .optional(access.type), defaultValue: nil, renamedFrom: []))
        }
        self.parts = parts
        condition = try ConditionCompiler(type: RecordType(standIn: fields, named: type.name))
            .compile(node.renamingFields { FieldName([$0.description]) })
    }

    /// Returns whether the condition holds for the record with these fields.
    ///
    /// - Parameter encoder: the buffer for the fields. Reuse it for the next record.
    func holds(_ table: FieldTable, _ scope: ReadContext, with encoder: inout FieldEncoder) throws -> Bool {
        encoder.begin(fieldCount: parts.count)
        for part in parts {
            var value = ByteWriter(capacity: 16)
            if let path = part.path {
                _ = try path.follow(table, scope) { try part.append($0, to: &value) }
            } else {
                try part.append(table, to: &value)
            }
            encoder.append(encoded: value.bytes)
        }
        return try holds(&encoder)
    }

    /// Returns whether the condition holds where there is no record, so that all fields are none.
    func holdsForNothing() throws(CodecError) -> Bool {
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: parts.count)
        for _ in parts { encoder.append(encoded: RawSpan()) }
        return try holds(&encoder)
    }

    private func holds(_ encoder: inout FieldEncoder) throws(CodecError) -> Bool {
        try encoder.finish()
        return try condition.holds(FieldTable(encoder.tableBytes))
    }
}

extension ConditionNode {
    /// Returns the same condition with other field names.
    func renamingFields(_ name: (FieldName) -> FieldName) -> ConditionNode {
        switch self {
        case .comparison(let field, let comparison, let value): .comparison(name(field), comparison, value)
        case .membership(let field, let values): .membership(name(field), values)
        case .text(let field, let test, let text, let options): .text(name(field), test, text, options)
        case .element(let field, let value): .element(name(field), value)
        case .size(let field, let comparison, let size): .size(name(field), comparison, size)
        case .fieldComparison(let left, let comparison, let right):
            .fieldComparison(name(left), comparison, name(right))
        case .arithmetic(let left, let comparison, let right):
            .arithmetic(left.renamed(name), comparison, right.renamed(name))
        case .and(let parts): .and(parts.map { $0.renamingFields(name) })
        case .or(let parts): .or(parts.map { $0.renamingFields(name) })
        case .not(let part): .not(part.renamingFields(name))
        default: self
        }
    }
}
