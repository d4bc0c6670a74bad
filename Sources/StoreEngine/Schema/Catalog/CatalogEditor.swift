package import LMDB

/// Changes the catalog inside one LMDB write transaction. The feed contains every change.
package struct CatalogEditor: ~Copyable {
    var raw: LMDBWriteTransaction
    let databases: StoreDatabases
    private(set) var context: WriteContext
    /// The end of the feed with the changes so far.
    package private(set) var head: FeedHead
    private(set) var types: [RecordType]
    /// The indexes of `types` by the name of the type, because a store can have tens of thousands of types.
    private var indexesByName: [String: Int]
    /// The greatest id that a type has had.
    private var lastID: UInt32
    /// The types that other types replaced.
    package private(set) var replaced: [RecordType]
    var didWrite = false
    /// Whether the records of a type have another form after the edit, or are gone.
    private var changesForm = false
    /// The databases to drop at the end of the edit. They are not dropped earlier: once LMDB has closed a handle, an abort does
    /// not restore it.
    private var dropped: [LMDBDatabase] = []
    private var didMakeSamples = false

    /// Creates an editor and reads the catalog from `raw`.
    package init(
        raw: consuming LMDBWriteTransaction, databases: StoreDatabases, head: FeedHead, context: WriteContext
    ) throws(StoreError) {
        let all = try CatalogStorage.types(in: databases.catalog, raw.snapshot)
        types = all.filter { $0.isReplaced != true }
        replaced = all.filter { $0.isReplaced == true }
        indexesByName = Self.indexes(of: types)
        lastID = all.map(\.id).max() ?? 0
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

    /// Returns the type with this name; nil if there is none.
    package func type(named name: String) -> RecordType? { indexesByName[name].map { types[$0] } }

    /// Returns the indexes of types by their names. While a type replaces another of the same name, the name belongs to the
    /// earlier.
    private static func indexes(of types: [RecordType]) -> [String: Int] {
        Dictionary(zip(types.map(\.name), types.indices)) { first, _ in first }
    }

    /// Adds a record type.
    ///
    /// - Throws: ``StoreError``: `invalidValue` when the schema contradicts itself or the name is taken.
    @discardableResult
    package mutating func add(_ schema: RecordSchema) throws(StoreError) -> RecordType {
        guard type(named: schema.name) == nil else {
            throw StoreError(.invalidValue, "there is already a record type \(schema.name)")
        }
        return try addReplacement(schema)
    }

    /// Adds a record type, even if a type with its name exists. ``retire(_:)`` ends the existing type.
    @discardableResult
    package mutating func addReplacement(_ schema: RecordSchema) throws(StoreError) -> RecordType {
        let type = try RecordType(id: lastID + 1, declared: schema)
        try write(type)
        return type
    }

    /// Replaces the description of a type, and drops the indexes that the new description lacks. If the type has no records, its
    /// new indexes are ready at once.
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

    /// Opens the databases of a type.
    package mutating func open(_ type: RecordType) throws(StoreError) -> OpenType {
        let database = try open(StoreDatabases.recordsName(type: type.id))
        var indexes: [LMDBDatabase] = []
        for index in type.indexes {
            indexes.append(try open(StoreDatabases.indexName(type: type.id, index: index.id)))
        }
        return try OpenType(type, database: database, indexDatabases: indexes, keyHash: databases.keyHash)
    }

    mutating func write(_ type: RecordType) throws(StoreError) {
        try requireFormat(of: type)
        if let typeIndex = index(of: type), types[typeIndex].fields != type.fields || type.isReplaced == true {
            changesForm = true
        }
        let json = try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        head = try FeedHousekeeping.append(.schema, type: type.id, description: json, head, databases, context, &raw)
        keep(type)
        didWrite = true
    }

    /// Throws if programs that know only the store's format cannot read the description of a type.
    ///
    /// - Throws: ``StoreError`` with the code `olderFormat`.
    func requireFormat(of type: RecordType) throws(StoreError) {
        guard let part = type.partWithoutFirstFormat else { return }
        try StoreFormat.require(StoreFormat.versionWithoutLog, for: part, databases, raw.snapshot)
    }

    /// Whether the store has format 1.
    func isFirstFormat() throws(StoreError) -> Bool {
        try StoreFormat.version(databases, raw.snapshot) < StoreFormat.versionWithoutLog
    }

    /// Stores the new description of a type in memory.
    mutating func keep(_ type: RecordType) {
        if type.isReplaced == true {
            types.removeAll { $0.id == type.id }
            replaced.append(type)
            indexesByName = Self.indexes(of: types)
        } else if let typeIndex = index(of: type) {
            let hasNewName = types[typeIndex].name != type.name
            types[typeIndex] = type
            if hasNewName { indexesByName = Self.indexes(of: types) }
        } else {
            types.append(type)
            lastID = max(lastID, type.id)
            if indexesByName[type.name] == nil { indexesByName[type.name] = types.count - 1 }
        }
    }

    private func index(of type: RecordType) -> Int? {
        if type.id > lastID { return nil }
        if let index = indexesByName[type.name], types[index].id == type.id { return index }
        return types.firstIndex { $0.id == type.id }
    }

    /// Returns the number of records of a type.
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

    /// Lets the change sets of the following edits say that a migration wrote them.
    mutating func noteMigration() { context.origin = context.origin.writing(.migration(from: nil, to: nil)) }

    /// Ends a type that another type replaced. Its records and indexes are deleted, and its description stays.
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

    /// Checks that each reference, by its id, refers to a type that exists after the edit.
    ///
    /// - Throws: ``StoreError`` with the code `schemaMismatch` if a reference does not.
    package func requireReferences() throws(StoreError) {
        for type in types {
            for field in type.fields {
                guard let reference = field.type.reference else { continue }
                try ReferenceGraph.requireFit(
                    field, of: type.name, reference, self.type(named: reference.target))
            }
        }
    }

    /// Makes other processes reload the catalog, and with it the format, before their next transaction.
    package mutating func announce() { didWrite = true }

    /// Opens all databases of the types and returns the transaction.
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
        return FinishedEdit(
            raw: raw, types: opened, version: next, head: head, didWrite: didWrite || didMakeSamples,
            changesForm: changesForm)
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
