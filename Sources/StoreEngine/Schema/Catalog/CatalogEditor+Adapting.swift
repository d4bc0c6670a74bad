import Foundation

// Adapts record types to the declarations of programs.
extension CatalogEditor {
    /// Adapts a record type so that a program with this declaration can use it. Adds the type if the store lacks it; otherwise
    /// takes only steps that lose nothing.
    ///
    /// - Returns: the steps; empty if the type needs no change, or is new.
    /// - Throws: ``StoreError``: `schemaMismatch` with the differences, if such steps are not sufficient.
    @discardableResult
    package mutating func adapt(to declared: RecordSchema) throws(StoreError) -> [SchemaChange] {
        guard let old = type(named: declared.name) else {
            try add(declared)
            return []
        }
        let fit = SchemaFit(declared, on: old)
        if fit.isComplete { return [] }
        if !fit.servesFields, old.earlierVersion(declaredBy: declared) != nil {
            // An adaptation would undo the change of a newer program.
            throw SchemaMismatch.error(declared, old, retired: replaced)
        }
        let evolution: SchemaEvolution
        do {
            evolution = try self.evolution(of: old, to: declared, mode: .opening)
        } catch {
            let isOlder = SchemaMismatch.isOlder(declared, than: old, retired: replaced)
            throw isOlder ? SchemaMismatch.error(declared, old, retired: replaced) : error
        }
        if onlyNamesCases(evolution), try isFirstFormat() { return [] }
        try replace(old, with: evolution.type)
        try rebuildUnique(from: old, to: evolution.type)
        return evolution.changes
    }

    /// Returns whether the only steps are names for the cases of enums, which no record depends on. A store of format 1 stays
    /// without them, because the catalog of that format cannot describe a type that has changed.
    private func onlyNamesCases(_ evolution: SchemaEvolution) -> Bool {
        evolution.changes.allSatisfy { change in
            if case .nameCases = change { true } else { false }
        }
    }

    /// Throws an error if a program declares a type as it was before a migration removed or replaced it. An older program must
    /// not add the type again or adapt the newer type.
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

    // This rebuilds a unique index in one transaction and not in chunks. Until a unique index is complete, it accepts a duplicate
    // of a value whose record it does not contain yet. The old index rejected such duplicates.
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

    /// Returns the steps from a type to a declaration.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` if no steps lead there; `invalidValue` if the declaration contradicts itself.
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
