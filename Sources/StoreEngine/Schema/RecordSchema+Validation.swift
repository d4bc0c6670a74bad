extension RecordSchema {
    /// The maximum number of indexes of one record type.
    static let maximumIndexCount = 64

    /// Checks the rules that the macro cannot check and that a schema document may violate.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    package func validate() throws(StoreError) {
        func fail(_ reason: String, _ remedy: String? = nil) -> StoreError {
            StoreError(
                .invalidValue, "the schema of \(name.isEmpty ? "a record type" : name) \(reason)", remedy: remedy)
        }
        guard !name.isEmpty, name.utf8.count <= 255 else {
            throw fail("has a name of \(name.utf8.count) bytes, but 1 to 255 are allowed")
        }
        guard !fields.isEmpty, fields.count <= FieldTable.maximumCount else {
            throw fail("has \(fields.count) fields, but 1 to \(FieldTable.maximumCount) are allowed")
        }
        var names: Set<String> = []
        for field in fields {
            guard !field.name.isEmpty else { throw fail("has a field without a name") }
            guard names.insert(field.name).inserted else { throw fail("names the field \(field.name) twice") }
            guard !field.type.hasNestedOptional else {
                throw fail(
                    "has the field \(field.name) of type \(field.type), an optional of an optional",
                    "use an enum with a case for each meaning, or a single optional")
            }
        }
        try validateReferences()
        guard !id.fields.isEmpty else { throw fail("has no id", "name the field that identifies its records") }
        guard id.fields.allSatisfy(fields.indices.contains), Set(id.fields).count == id.fields.count else {
            throw fail("has an id of fields that do not exist or are repeated")
        }
        for fieldIndex in id.fields {
            let field = fields[fieldIndex]
            guard field.type.isIndexable, !field.type.isOptional else {
                throw fail(
                    "uses \(field.name) of type \(field.type) as its id",
                    "use a type that has an order and is not optional")
            }
        }
        if id.isAssigned, id.fields.count != 1 || !fields[id.fields[0]].type.isInteger {
            throw fail("lets the store assign an id that is not one integer")
        }
        guard indexes.count <= RecordSchema.maximumIndexCount else {
            throw fail("has \(indexes.count) indexes, but at most \(RecordSchema.maximumIndexCount) are allowed")
        }
        guard Set(indexes.map(\.fields)).count == indexes.count else { throw fail("has the same index twice") }
        for index in indexes {
            guard !index.fields.isEmpty, index.fields.allSatisfy(fields.indices.contains),
                Set(index.fields).count == index.fields.count
            else { throw fail("has an index of fields that do not exist or are repeated") }
            if let fieldIndex = index.fields.first(where: { fields[$0].type.hasIndexableElements }) {
                guard index.fields.count == 1, !index.isUnique else {
                    throw fail(
                        "has a unique or compound index on \(fields[fieldIndex].name), which holds several values",
                        "use a plain index on this field alone")
                }
                continue
            }
            for fieldIndex in index.fields where !fields[fieldIndex].type.isIndexable {
                throw fail(
                    "indexes \(fields[fieldIndex].name), but values of type \(fields[fieldIndex].type) have no order")
            }
        }
    }

    /// Returns the readable form of an index: `index (room)` or `unique index (serial)`.
    package func describe(_ index: IndexSchema) -> String {
        (index.isUnique ? "unique index (" : "index (") + index.fields.map { fields[$0].name }.joined(separator: ", ")
            + ")"
    }
}
