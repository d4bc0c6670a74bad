extension RecordSchema {
    /// Returns the differences between this schema of a program and the schema of the store.
    ///
    /// The result is empty if records of both are the same, apart from field names that only one of the two declares.
    package func differences(from stored: RecordSchema) -> [SchemaDifference] {
        var found: [SchemaDifference] = []
        // For each field of the program, the index of its field in the store.
        let fieldIndexes = fields.map { FieldMatch.index(of: $0, among: stored.fields, besides: fields) }
        for (field, fieldIndex) in zip(fields, fieldIndexes) {
            if let fieldIndex {
                found += Self.differences(field, stored.fields[fieldIndex])
            } else {
                found.append(.missingField(field.name, field.type))
            }
        }
        for (fieldIndex, field) in stored.fields.enumerated() where !fieldIndexes.contains(fieldIndex) {
            found.append(.undeclaredField(field.name, field.type))
        }
        if id.fields.map({ fieldIndexes[$0] }) != stored.id.fields || id.isAssigned != stored.id.isAssigned {
            found.append(.id)
        }
        for index in indexes where !stored.indexes.contains(where: { self.index(index, isThe: $0, fieldIndexes) }) {
            found.append(.missingIndex(describe(index)))
        }
        for index in stored.indexes where !indexes.contains(where: { self.index($0, isThe: index, fieldIndexes) }) {
            found.append(.undeclaredIndex(stored.describe(index)))
        }
        return found
    }

    private func index(_ index: IndexSchema, isThe stored: IndexSchema, _ fieldIndexes: [Int?]) -> Bool {
        index.isUnique == stored.isUnique && index.fields.map { fieldIndexes[$0] } == stored.fields
    }

    private static func differences(_ field: FieldSchema, _ stored: FieldSchema) -> [SchemaDifference] {
        let name = FieldMatch.text(field.name, inStore: stored.name)
        var types = TypeDifferences(.reported)
        types.compare(stored.type, field.type, name: name, path: field.name)
        var found = types.all
        if stored.deleteRule != field.deleteRule, field.type.reference != nil {
            found.append(.deleteRule(name, stored: stored.deleteRule, declared: field.deleteRule))
        }
        if stored.defaultValue != field.defaultValue { found.append(.defaultValue(name)) }
        return found
    }
}
