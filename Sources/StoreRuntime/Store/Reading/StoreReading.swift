import LMDB
import StoreEngine

/// The header and the state of a store, read without writing to it.
struct StoreReading {
    let header: StoreFormat.Header
    let state: StoreState

    /// - Throws: ``StoreError``: `notAStore`; `unknownType` and `schemaMismatch` when the store does not serve `records`;
    ///   `damaged`.
    init(
        _ snapshot: LMDBSnapshot, at path: String, options: StoreOptions, records: [any Record.Type]
    ) throws(StoreError) {
        guard let databases = try StoreFormat.openDatabases(snapshot),
            try !StoreFormat.isUnborn(databases, snapshot)
        else {
            throw StoreError(.notAStore, "\(path) holds no store", remedy: "name the directory of a store")
        }
        header = try StoreFormat.header(databases, snapshot)
        var types: [OpenType] = []
        let all = try CatalogStorage.types(in: databases.catalog, snapshot)
        for type in all where type.isReplaced != true { types.append(try Self.open(type, databases, snapshot)) }
        let catalog = try Catalog(
            version: header.catalogVersion, types: types, records: records,
            retired: all.filter { $0.isReplaced == true })
        state = StoreState(identity: header.identity, databases: databases, limits: options.limits, catalog: catalog)
    }

    /// Returns whether opening the store for writing with `records` has nothing to write. The store has at least this format, is
    /// no copy of another store, and no other program has written to it. No record type lacks its sample, or a part that
    /// `records` declare.
    func isSettled(
        format: UInt32, home: [UInt8], records: [any Record.Type], _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> Bool {
        guard header.format >= format, header.home == home,
            header.head.transactionID == UInt64(snapshot.transactionID)
        else { return false }
        if let statistics = state.databases.statistics {
            for type in state.catalog.types where try SampleBuilder.lacksSample(type, statistics, snapshot) {
                return false
            }
        } else if format >= StoreFormat.versionWithoutLog {
            return false
        }
        return records.allSatisfy { record in
            let schema = record.recordSchema
            guard let typeIndex = state.catalog.typeIndex(named: schema.name) else { return false }
            return SchemaFit(schema, on: state.catalog.types[typeIndex].type).isComplete
        }
    }

    private static func open(
        _ type: RecordType, _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> OpenType {
        let database = try open(StoreDatabases.recordsName(type: type.id), snapshot)
        var indexes: [LMDBDatabase] = []
        for index in type.indexes {
            indexes.append(try open(StoreDatabases.indexName(type: type.id, index: index.id), snapshot))
        }
        return try OpenType(type, database: database, indexDatabases: indexes, keyHash: databases.keyHash)
    }

    private static func open(_ name: String, _ snapshot: LMDBSnapshot) throws(StoreError) -> LMDBDatabase {
        let found = try mapLMDB { () throws(LMDBError) in try snapshot.openDatabase(named: name) }
        if let found { return found }
        throw StoreError(.damaged, "the database \(name) is missing", remedy: "restore a backup")
    }
}
