extension RecordSchema {
    /// How this schema, a program's, differs from that of the store, as people read it; empty when records of both are the
    /// same but for names of fields that one of the two tells of.
    package func differences(from stored: RecordSchema) -> [String] {
        var found: [String] = []
        // What the program's fields are in the store.
        let places = fields.map { FieldMatch.index(of: $0, among: stored.fields, besides: fields) }
        for (field, place) in zip(fields, places) {
            if let place {
                found += Self.differences(field, stored.fields[place])
            } else {
                found.append("field \(field.name): \(field.type) is not in the store")
            }
        }
        for (place, field) in stored.fields.enumerated() where !places.contains(place) {
            found.append("field \(field.name): \(field.type) is only in the store")
        }
        if id.fields.map({ places[$0] }) != stored.id.fields || id.isAssigned != stored.id.isAssigned {
            found.append("the id differs")
        }
        for index in indexes where !stored.indexes.contains(where: { self.index(index, isThe: $0, places) }) {
            found.append("\(describe(index)) is not in the store")
        }
        for index in stored.indexes where !indexes.contains(where: { self.index($0, isThe: index, places) }) {
            found.append("\(stored.describe(index)) is only in the store")
        }
        return found
    }

    private func index(_ index: IndexSchema, isThe stored: IndexSchema, _ places: [Int?]) -> Bool {
        index.isUnique == stored.isUnique && index.fields.map { places[$0] } == stored.fields
    }

    private static func differences(_ field: FieldSchema, _ stored: FieldSchema) -> [String] {
        let name = FieldMatch.text(field.name, inStore: stored.name)
        var types = TypeDifferences(.told)
        types.compare(stored.type, field.type, name: name, path: field.name)
        var found = types.all
        if stored.deleteRule != field.deleteRule, field.type.reference != nil {
            found.append(
                "field \(name) has the delete rule \(stored.deleteRule) in the store and \(field.deleteRule) in the program"
            )
        }
        if stored.defaultValue != field.defaultValue { found.append("field \(name) has another default in the store") }
        return found
    }
}
