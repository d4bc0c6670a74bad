// Continues the construction of indexes.
extension CatalogEditor {
    /// Adds entries to an index under construction; see ``IndexBuilding``. The last entries make the index ready.
    ///
    /// - Parameter onDuplicate: receives an error for each record that repeats a value in a unique index, and that record gets no
    ///   entry. Without this closure, a duplicate throws the error.
    package mutating func build(
        _ index: StoredIndex, of type: RecordType, limit: Int, onDuplicate: ((StoreError) -> Void)? = nil
    ) throws(StoreError) -> IndexBuilding.Step {
        let opened = try open(type)
        guard let indexNumber = type.indexes.firstIndex(where: { $0.id == index.id }),
            type.indexes[indexNumber].isBuilding
        else {
            throw StoreError(.other, "the index is not being built")
        }
        let step = try IndexBuilding.step(
            opened, opened.indexes[indexNumber], limit: limit, databases, in: &raw, onDuplicate: onDuplicate)
        didWrite = true
        if step.isComplete {
            var ready = type
            ready.indexes[indexNumber].isBuilding = false
            try write(ready)
        }
        return step
    }

    /// The indexes under construction, each with its type.
    package var building: [(type: RecordType, index: StoredIndex)] {
        types.flatMap { type in type.indexes.filter(\.isBuilding).map { (type, $0) } }
    }

    /// Removes from a type a unique index that cannot be built. If the index belongs to a reference and is its only index, an
    /// index that is not unique takes its place, because a reference needs an index.
    package mutating func removeUnbuilt(_ index: StoredIndex, of type: RecordType) throws(StoreError) {
        var without = type
        without.indexes.removeAll { $0.id == index.id }
        let hasOther = without.indexes.contains { $0.fields == index.fields }
        if let field = type.fields.first(where: { [$0.id] == index.fields }), field.type.reference != nil, !hasOther {
            without.indexes.append(
                StoredIndex(id: without.nextIndexID, fields: index.fields, isUnique: false, isBuilding: true))
            without.nextIndexID += 1
        }
        try replace(type, with: without)
    }
}
