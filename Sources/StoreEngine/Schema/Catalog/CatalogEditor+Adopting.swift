// Takes over record types of another store, with their numbers and versions.
extension CatalogEditor {
    /// Adds a record type of another store to a store that has no type with its number.
    ///
    /// The feed does not contain this change, because the type existed before the feed begins.
    package mutating func adopt(_ type: RecordType) throws(StoreError) {
        try requireFormat(of: type)
        try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        keep(type)
        didWrite = true
    }

    /// Changes a record type as a schema change in the feed of another store says. The feed of this store gets one change.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation` if the records violate a unique index that the change marks as ready.
    package mutating func follow(_ type: RecordType) throws(StoreError) {
        guard let old = types.first(where: { $0.id == type.id }) else { return try write(type) }
        if type.isReplaced == true { return try retire(old) }
        for index in old.indexes where !type.indexes.contains(where: { $0.id == index.id }) { try drop(index, of: old) }
        let isReady = Dictionary(old.indexes.map { ($0.id, !$0.isBuilding) }) { first, _ in first }
        for (number, index) in type.indexes.enumerated() where !index.isBuilding && isReady[index.id] != true {
            let opened = try open(type)
            while try !IndexBuilding.step(opened, opened.indexes[number], limit: 10_000, databases, in: &raw).isComplete
            {}
        }
        try write(type)
        guard let statistics = databases.statistics else { return }
        try SampleBuilder.refresh(open(type), statistics, in: &raw)
    }
}
