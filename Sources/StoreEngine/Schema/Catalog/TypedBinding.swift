/// The tie between a Swift record type and the type in a store's catalog.
@usableFromInline
package final class TypedBinding: Sendable {
    /// The catalog's side.
    package let type: OpenType
    /// The place of `type` among the catalog's types.
    package let typeIndex: Int
    /// For each stored field the declared one, -1 where none is; nil when both are the same in the same order.
    package let declaredByFieldIndex: [Int]?
    /// For each declared field the stored one; nil when both are the same in the same order.
    package let fieldIndexesByDeclared: [Int32]?
    /// What is stored and not declared: an update keeps it.
    package let undeclared: UndeclaredParts
    /// What an insert puts in them, by place.
    package let insertedBytes: [[UInt8]]
    /// Whether an insert may change the record: by an assigned id or a filled-in default.
    package let hasGeneratedFields: Bool
    /// The unique index on each declared field alone, where it has one.
    private let uniqueIndexes: [OpenIndex?]

    /// Ties `declared` to the type of the same name.
    ///
    /// - Parameter retired: the record types that migrations replaced with others.
    /// - Throws: ``StoreError`` with the code `schemaMismatch`, listing the differences, when a program that declares this
    ///   cannot work with the type.
    package init(
        _ declared: RecordSchema, type: OpenType, typeIndex: Int, retired: [RecordType] = []
    ) throws(StoreError) {
        let fit = SchemaFit(declared, on: type.type)
        // Without an index that is not unique all is the same, only slower.
        guard fit.servesFields, !fit.missingIndexes.contains(where: \.isUnique) else {
            throw SchemaMismatch.error(declared, type.type, retired: retired)
        }
        self.type = type
        self.typeIndex = typeIndex
        hasGeneratedFields = type.assignedFieldIndex != nil || !type.tokens.isEmpty
        let fieldIndexes = fit.fieldIndexes.compactMap { $0 }
        undeclared = UndeclaredParts(fit, of: type.type)
        if fieldIndexes == Array(type.type.fields.indices) {
            fieldIndexesByDeclared = nil
            declaredByFieldIndex = nil
            insertedBytes = []
        } else {
            fieldIndexesByDeclared = fieldIndexes.map { Int32($0) }
            var inverse = Array(repeating: -1, count: type.type.fields.count)
            for (declaredIndex, fieldIndex) in fieldIndexes.enumerated() { inverse[fieldIndex] = declaredIndex }
            declaredByFieldIndex = inverse
            insertedBytes = type.type.fields.map { $0.schema.insertedBytes ?? [] }
        }
        uniqueIndexes = fieldIndexes.map { fieldIndex in
            type.indexes.first {
                $0.stored.isUnique && !$0.stored.isBuilding && $0.parts.count == 1
                    && $0.parts[0].fieldIndex == fieldIndex
            }
        }
    }

    /// The unique index on a declared field alone.
    func uniqueIndex(onDeclared index: Int) -> OpenIndex? {
        uniqueIndexes.indices.contains(index) ? uniqueIndexes[index] : nil
    }

    /// How many fields are declared.
    var declaredCount: Int { fieldIndexesByDeclared?.count ?? type.type.fields.count }

    /// The declared fields whose stored ones are among some places.
    package func declaredFieldIndexes(of stored: FieldIndexSet) -> FieldIndexSet {
        if fieldIndexesByDeclared == nil, stored != .all { return stored }
        return declaredFieldIndexes { stored.contains($0) }
    }

    /// The places among the declared fields of those whose stored places are wanted.
    func declaredFieldIndexes(_ isWanted: (Int) -> Bool) -> FieldIndexSet {
        var fieldIndexes = FieldIndexSet()
        for declared in 0..<declaredCount {
            let fieldIndex = fieldIndexesByDeclared.map { Int($0[declared]) } ?? declared
            if type.type.fields.indices.contains(fieldIndex), isWanted(fieldIndex) { fieldIndexes.insert(declared) }
        }
        return fieldIndexes
    }
}
