package import LMDB

/// Changes the catalog inside one LMDB write transaction; every change is in the feed.
package struct CatalogEditor: ~Copyable {
    var raw: LMDBWriteTransaction
    let databases: StoreDatabases
    let context: WriteContext
    private var head: FeedHead
    private(set) var types: [RecordType]
    /// Types that others took the place of.
    package private(set) var replaced: [RecordType]
    var didWrite = false
    /// Databases that go when the edit is finished: a handle that LMDB has closed does not come back with an abort.
    private var dropped: [LMDBDatabase] = []
    private var didMakeSamples = false

    /// Reads the catalog as it is in `raw`.
    package init(
        raw: consuming LMDBWriteTransaction, databases: StoreDatabases, head: FeedHead, context: WriteContext
    ) throws(StoreError) {
        let all = try CatalogStorage.types(in: databases.catalog, raw.snapshot)
        types = all.filter { $0.isReplaced != true }
        replaced = all.filter { $0.isReplaced == true }
        self.raw = raw
        self.databases = databases
        self.head = head
        self.context = context
    }

    /// The records as this transaction sees them.
    var snapshot: LMDBSnapshot {
        @_lifetime(borrow self)
        borrowing get { raw.snapshot }
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
        return try addReplacement(schema)
    }

    /// Adds a record type that is to take the place of the one with its name, which goes with ``retire(_:)``.
    @discardableResult
    package mutating func addReplacement(_ schema: RecordSchema) throws(StoreError) -> RecordType {
        let id = ((types + replaced).map(\.id).max() ?? 0) + 1
        let type = try RecordType(id: id, declared: schema)
        try write(type)
        return type
    }

    /// Puts another description in the place of a type's, drops the indexes that it lacks, and makes new ones ready
    /// where there is no record to index.
    package mutating func replace(_ old: RecordType, with new: RecordType) throws(StoreError) {
        var new = new
        for index in old.indexes where !new.indexes.contains(where: { $0.id == index.id }) {
            try drop(index, of: old)
        }
        if try count(of: old) == 0 {
            for number in new.indexes.indices { new.indexes[number].isBuilding = false }
        }
        try write(new)
        guard let statistics = databases.statistics else { return }
        try SampleBuilder.refresh(open(new), statistics, in: &raw)
    }

    /// A type with its databases.
    package mutating func open(_ type: RecordType) throws(StoreError) -> OpenType {
        let database = try open(StoreDatabases.recordsName(type: type.id))
        var indexes: [LMDBDatabase] = []
        for index in type.indexes {
            indexes.append(try open(StoreDatabases.indexName(type: type.id, index: index.id)))
        }
        return try OpenType(type, database: database, indexDatabases: indexes)
    }

    mutating func write(_ type: RecordType) throws(StoreError) {
        let json = try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        head = try FeedHousekeeping.append(.schema, type: type.id, description: json, head, databases, context, &raw)
        keep(type)
        didWrite = true
    }

    /// Notes what the catalog now says of a type.
    mutating func keep(_ type: RecordType) {
        if type.isReplaced == true {
            types.removeAll { $0.id == type.id }
            replaced.append(type)
        } else if let typeIndex = types.firstIndex(where: { $0.id == type.id }) {
            types[typeIndex] = type
        } else {
            types.append(type)
        }
    }

    /// The number of records of a type.
    package mutating func count(of type: RecordType) throws(StoreError) -> Int {
        let database = try open(StoreDatabases.recordsName(type: type.id))
        do {
            return try raw.snapshot.statistics(of: database).entries
        } catch {
            throw StoreError(error)
        }
    }

    mutating func drop(_ index: StoredIndex, of type: RecordType) throws(StoreError) {
        let database = try open(StoreDatabases.indexName(type: type.id, index: index.id))
        dropped.append(database)
        do {
            let key = MetadataKey.building(type: type.id, index: index.id)
            unsafe try raw.delete(databases.metadata, key: key.span.bytes)
        } catch {
            throw StoreError(error)
        }
    }

    /// Ends a type that another one took the place of: its records and indexes go, its description stays.
    package mutating func retire(_ type: RecordType) throws(StoreError) {
        for index in type.indexes { try drop(index, of: type) }
        dropped.append(try open(StoreDatabases.recordsName(type: type.id)))
        do {
            unsafe try raw.delete(databases.metadata, key: MetadataKey.assigned(type: type.id).span.bytes)
        } catch {
            throw StoreError(error)
        }
        var retired = type
        retired.isReplaced = true
        retired.indexes = []
        try write(retired)
    }

    /// Checks that every reference is one to a type that there is after the edit, by its id.
    ///
    /// - Throws: ``StoreError`` with the code `schemaMismatch` when one is not.
    package func requireReferences() throws(StoreError) {
        for type in types {
            for field in type.fields {
                guard let reference = field.type.reference else { continue }
                try ReferenceGraph.requireFit(
                    field, of: type.name, reference, self.type(named: reference.target))
            }
        }
    }

    /// Makes other processes read the catalog, and with it the format, anew before their next transaction.
    package mutating func announce() { didWrite = true }

    /// Opens all databases of the types and hands the transaction back.
    package consuming func finish(version: UInt64) throws(StoreError) -> FinishedEdit {
        var opened: [OpenType] = []
        for type in types { opened.append(try open(type)) }
        do {
            for database in dropped { try raw.drop(database) }
        } catch {
            throw StoreError(error)
        }
        if let statistics = databases.statistics {
            for type in opened where try SampleBuilder.makeMissing(of: type, statistics, in: &raw) {
                didMakeSamples = true
            }
        }
        let next = didWrite ? version + 1 : version
        if didWrite { try StoreFormat.writeCatalogVersion(next, databases, &raw) }
        return FinishedEdit(raw: raw, types: opened, version: next, head: head, didWrite: didWrite || didMakeSamples)
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
