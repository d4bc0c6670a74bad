import Foundation
package import LMDB

/// Changes the catalog inside one LMDB write transaction; every change is in the feed.
package struct CatalogEditor: ~Copyable {
    private var raw: LMDBWriteTransaction
    private let databases: StoreDatabases
    private let context: WriteContext
    private var head: FeedHead
    private var types: [RecordType]
    /// Types that others took the place of.
    private var replaced: [RecordType]
    private var didWrite = false
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
            throw SchemaMismatch.error(declared, old)
        }
        let evolution = try evolution(of: old, to: declared, mode: .opening)
        try replace(old, with: evolution.type)
        try rebuildUnique(from: old, to: evolution.type)
        return evolution.changes
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

    /// Puts another description in the place of a type's, drops the indexes that it lacks, and makes new ones ready
    /// where there is no record to index.
    package mutating func replace(_ old: RecordType, with new: RecordType) throws(StoreError) {
        var new = new
        for index in old.indexes where !new.indexes.contains(where: { $0.id == index.id }) {
            try drop(index, of: old)
        }
        if try count(of: old) == 0 {
            for place in new.indexes.indices { new.indexes[place].isBuilding = false }
        }
        try write(new)
        guard let statistics = databases.statistics else { return }
        try SampleBuilder.refresh(open(new), statistics, in: &raw)
    }

    /// Adds entries to an index that is being built; see ``IndexBuilding``. The last of them makes it ready.
    ///
    /// - Parameter onDuplicate: told of records with one value in a unique index, which are left out then; without it they
    ///   are an error.
    package mutating func build(
        _ index: StoredIndex, of type: RecordType, limit: Int, onDuplicate: ((StoreError) -> Void)? = nil
    ) throws(StoreError) -> IndexBuilding.Step {
        let opened = try open(type)
        guard let place = type.indexes.firstIndex(where: { $0.id == index.id }), type.indexes[place].isBuilding else {
            throw StoreError(.other, "the index is not being built")
        }
        let step = try IndexBuilding.step(
            opened, opened.indexes[place], limit: limit, databases, in: &raw, onDuplicate: onDuplicate)
        didWrite = true
        if step.isComplete {
            var ready = type
            ready.indexes[place].isBuilding = false
            try write(ready)
        }
        return step
    }

    /// The types that have an index which is being built, with it.
    package var building: [(type: RecordType, index: StoredIndex)] {
        types.flatMap { type in type.indexes.filter(\.isBuilding).map { (type, $0) } }
    }

    /// Takes a unique index that cannot be built out of a type. A reference gets one that is not unique: it needs an index.
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

    /// A type with its databases.
    package mutating func open(_ type: RecordType) throws(StoreError) -> OpenType {
        let database = try open(StoreDatabases.recordsName(type: type.id))
        var indexes: [LMDBDatabase] = []
        for index in type.indexes {
            indexes.append(try open(StoreDatabases.indexName(type: type.id, index: index.id)))
        }
        return try OpenType(type, database: database, indexDatabases: indexes)
    }

    private mutating func write(_ type: RecordType) throws(StoreError) {
        let json = try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        head = try FeedHousekeeping.append(.schema, type: type.id, description: json, head, databases, context, &raw)
        if let place = types.firstIndex(where: { $0.id == type.id }) {
            types[place] = type
        } else {
            types.append(type)
        }
        didWrite = true
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

    private mutating func drop(_ index: StoredIndex, of type: RecordType) throws(StoreError) {
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
        types.removeAll { $0.id == type.id }
        replaced.append(retired)
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
