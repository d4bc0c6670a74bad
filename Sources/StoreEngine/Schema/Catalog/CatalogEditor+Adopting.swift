// Record types as another store has them, numbers and versions included.
extension CatalogEditor {
    /// Adds a record type as it is in another store, to one that has none of that number. The feed does not tell it: it stood there
    /// before the feed begins.
    package mutating func adopt(_ type: RecordType) throws(StoreError) {
        try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        keep(type)
        didWrite = true
    }

    /// Makes a record type what a change of the schema in another store's feed says, with one change in the feed.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation` when records do not fit an index that is said to be ready.
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
