package import LMDB

/// Changes the catalog inside one LMDB write transaction; every change is in the feed.
package struct CatalogEditor: ~Copyable {
    private var raw: LMDBWriteTransaction
    private let databases: StoreDatabases
    private let context: WriteContext
    private var head: FeedHead
    private var types: [RecordType]
    private var didWrite = false

    /// Reads the catalog as it is in `raw`.
    package init(
        raw: consuming LMDBWriteTransaction, databases: StoreDatabases, head: FeedHead, context: WriteContext
    ) throws(StoreError) {
        types = try CatalogStorage.types(in: databases.catalog, raw.snapshot)
        self.raw = raw
        self.databases = databases
        self.head = head
        self.context = context
    }

    /// The type with this name.
    package func type(named name: String) -> RecordType? { types.first { $0.name == name } }

    /// Adds a record type.
    ///
    /// - Throws: ``StoreError``: `invalidValue` when the schema contradicts itself or the name is taken.
    @discardableResult
    package mutating func add(_ schema: RecordSchema) throws(StoreError) -> RecordType {
        guard type(named: schema.name) == nil else {
            throw StoreError(.invalidValue, "there is a record type \(schema.name) already")
        }
        let id = (types.map(\.id).max() ?? 0) + 1
        let type = try RecordType(id: id, declared: schema)
        let json = try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        head = try FeedHousekeeping.append(.schema, type: id, description: json, head, databases, context, &raw)
        types.append(type)
        didWrite = true
        return type
    }

    /// Opens all databases of the types and hands the transaction back.
    package consuming func finish(version: UInt64) throws(StoreError) -> FinishedEdit {
        var opened: [OpenType] = []
        for type in types {
            let database = try open(StoreDatabases.recordsName(type: type.id))
            var indexes: [LMDBDatabase] = []
            for index in type.indexes {
                indexes.append(try open(StoreDatabases.indexName(type: type.id, index: index.id)))
            }
            opened.append(try OpenType(type, database: database, indexDatabases: indexes))
        }
        let next = didWrite ? version + 1 : version
        if didWrite { try StoreFormat.writeCatalogVersion(next, databases, &raw) }
        return FinishedEdit(raw: raw, types: opened, version: next, head: head, didWrite: didWrite)
    }

    private mutating func open(_ name: String) throws(StoreError) -> LMDBDatabase {
        do {
            if let database = try raw.openDatabase(named: name, create: true) { return database }
        } catch {
            throw StoreError(error)
        }
        throw StoreError(.other, "the database \(name) could not be opened")
    }
}

/// What an edit of the catalog leaves: its transaction, not yet committed, and the catalog after it.
package struct FinishedEdit: ~Copyable {
    private var raw: LMDBWriteTransaction
    package let types: [OpenType]
    package let version: UInt64
    package let head: FeedHead
    package let didWrite: Bool

    init(raw: consuming LMDBWriteTransaction, types: [OpenType], version: UInt64, head: FeedHead, didWrite: Bool) {
        self.raw = raw
        self.types = types
        self.version = version
        self.head = head
        self.didWrite = didWrite
    }

    /// The transaction alone.
    package consuming func intoRaw() -> LMDBWriteTransaction { raw }
}
