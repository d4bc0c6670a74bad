/// Binds a Swift record type to the record type in a store's catalog.
@usableFromInline
package final class TypedBinding: Sendable {
    /// The record type in the catalog.
    package let type: OpenType
    /// The index of `type` among the catalog's types.
    package let typeIndex: Int
    /// For each stored field, the index of the declared field, or -1 if none is declared; nil if both have the same fields in the
    /// same order.
    package let declaredByFieldIndex: [Int]?
    /// For each declared field, the index of the stored field; nil if both have the same fields in the same order.
    package let fieldIndexesByDeclared: [Int32]?
    /// The stored parts that the program does not declare. An update keeps them.
    package let undeclared: UndeclaredParts
    /// For each stored field, the bytes that an insert stores if the program does not declare the field.
    package let insertedBytes: [[UInt8]]
    /// Whether an insert may change the record, because the store assigns its id or fills in a default.
    package let hasGeneratedFields: Bool
    /// For each declared field, the unique index on that field alone, if there is one.
    private let uniqueIndexes: [OpenIndex?]

    /// Binds `declared` to the type of the same name.
    ///
    /// - Parameter retired: the record types that migrations replaced.
    /// - Throws: ``StoreError`` with the code `schemaMismatch`, with a list of the differences, if a program with this
    ///   declaration cannot use the type.
    package init(
        _ declared: RecordSchema, type: OpenType, typeIndex: Int, retired: [RecordType] = []
    ) throws(StoreError) {
        let fit = SchemaFit(declared, on: type.type)
        guard fit.servesProgram else {
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

    /// Returns the unique index on a declared field alone; nil if there is none.
    func uniqueIndex(onDeclared index: Int) -> OpenIndex? {
        uniqueIndexes.indices.contains(index) ? uniqueIndexes[index] : nil
    }

    /// The number of declared fields.
    var declaredCount: Int { fieldIndexesByDeclared?.count ?? type.type.fields.count }

    /// Whether the stored records have parts that the program does not declare.
    package var hasUndeclaredParts: Bool { !undeclared.isEmpty }

    /// Returns the declared field indexes of the fields whose stored field indexes are in `stored`.
    package func declaredFieldIndexes(of stored: FieldIndexSet) -> FieldIndexSet {
        if fieldIndexesByDeclared == nil, stored != .all { return stored }
        return declaredFieldIndexes { stored.contains($0) }
    }

    /// Returns the declared field indexes of the fields for whose stored field index `isWanted` returns true.
    func declaredFieldIndexes(_ isWanted: (Int) -> Bool) -> FieldIndexSet {
        var fieldIndexes = FieldIndexSet()
        for declared in 0..<declaredCount {
            let fieldIndex = fieldIndexesByDeclared.map { Int($0[declared]) } ?? declared
            if type.type.fields.indices.contains(fieldIndex), isWanted(fieldIndex) { fieldIndexes.insert(declared) }
        }
        return fieldIndexes
    }
}
