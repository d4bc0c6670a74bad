import Foundation

// Making record types fit what programs declare.
extension CatalogEditor {
    /// Makes the type of a declaration one that a program with this declaration can work with: adds it where there is
    /// none, and takes the steps that lose nothing where it differs.
    ///
    /// - Returns: the steps; none where the type is as it should be, or is new.
    /// - Throws: ``StoreError``: `schemaMismatch` with the differences, when they need more than that.
    @discardableResult
    package mutating func adapt(to declared: RecordSchema) throws(StoreError) -> [SchemaChange] {
        guard let old = type(named: declared.name) else {
            try add(declared)
            return []
        }
        let fit = SchemaFit(declared, on: old)
        if fit.isComplete { return [] }
        if !fit.servesFields, old.earlierVersion(declaredBy: declared) != nil {
            // Going on from here would undo what a newer program did.
            throw SchemaMismatch.error(declared, old, retired: replaced)
        }
        let evolution: SchemaEvolution
        do {
            evolution = try self.evolution(of: old, to: declared, mode: .opening)
        } catch {
            let isOlder = SchemaMismatch.isOlder(declared, than: old, retired: replaced)
            throw isOlder ? SchemaMismatch.error(declared, old, retired: replaced) : error
        }
        try replace(old, with: evolution.type)
        try rebuildUnique(from: old, to: evolution.type)
        return evolution.changes
    }

    /// Fails where a program declares a type as it was before a migration removed or replaced it: adding the type again, or
    /// adapting the newer one, would be the work of an older program.
    ///
    /// - Throws: ``StoreError`` with the code `schemaMismatch`.
    package func requireNotOlder(_ declared: RecordSchema) throws(StoreError) {
        let error =
            if let type = type(named: declared.name) {
                SchemaMismatch.replaced(declared, by: type, retired: replaced)
            } else {
                SchemaMismatch.removed(declared, retired: replaced)
            }
        if let error { throw error }
    }

    // At once, and not in chunks: a unique index that is being built lets values pass that records have which it lacks yet,
    // and these were refused so far.
    private mutating func rebuildUnique(from old: RecordType, to new: RecordType) throws(StoreError) {
        for index in new.indexes where index.isBuilding && index.isUnique {
            let wasReady = old.indexes.contains { $0.isUnique && !$0.isBuilding && $0.fields == index.fields }
            while wasReady, let type = types.first(where: { $0.id == new.id }),
                let next = type.indexes.first(where: { $0.id == index.id }), next.isBuilding
            {
                _ = try build(next, of: type, limit: 4_096)
            }
        }
    }

    /// The steps from a type to a declaration.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when there are none; `invalidValue` when the declaration contradicts
    ///   itself.
    package func evolution(
        of old: RecordType, to declared: RecordSchema, mode: SchemaEvolution.Mode
    ) throws(StoreError) -> SchemaEvolution {
        try declared.validate()
        let now = context.time.timeIntervalSinceReferenceDate
        let evolution = SchemaEvolution(of: old, to: declared, mode: mode, now: now)
        guard evolution.refusals.isEmpty else { throw SchemaMismatch.refused(old.name, evolution.refusals) }
        try evolution.type.schema.validate()
        return evolution
    }
}
