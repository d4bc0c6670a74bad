package import LMDB

/// A record type of an open store: its catalog entry, its databases, and data computed once from them.
package final class OpenType: Sendable {
    /// The catalog's entry.
    package let type: RecordType
    /// The database of the records.
    package let database: LMDBDatabase
    /// The indexes with their databases.
    package let indexes: [OpenIndex]
    /// The elements of ``indexes`` that have one entry for each record.
    let singleIndexes: [OpenIndex]
    /// The elements of ``indexes`` that have one entry for each element of a record's array or set.
    let multipleIndexes: [OpenIndex]
    /// How the store hashes keys that are too long.
    package let keyHash: KeyHash
    /// The fields of the id, and their conversion to the record key.
    package let idParts: [KeyPart]
    /// The field indexes of the id's fields.
    let idFieldIndexes: [Int]
    /// The databases of the indexes, and the names of the fields. They are copied here, because reading them in their containers
    /// costs more.
    private let indexDatabases: [LMDBDatabase]
    private let fieldNames: [String]
    private let hasRenamedFields: Bool
    /// The paths that requests by equality can use.
    let lookupPaths: [LookupPath]
    /// The ascending sort of records by each field; nil for fields that have no order.
    private let sortParts: [SortPart?]
    private let hasOrder: [Bool]
    /// The fields that the transaction fills in.
    package let tokens: [(fieldIndex: Int, token: DefaultToken)]
    /// The field index of the integer that the store assigns; nil if it assigns none.
    package let assignedFieldIndex: Int?
    /// The conversions of records of earlier versions; nil for versions that have the newest form.
    private let upgrades: [UInt32: RecordUpgrade?]

    /// Opens `type` with the database of its records and the databases of its indexes, in order.
    package init(
        _ type: RecordType, database: LMDBDatabase, indexDatabases: [LMDBDatabase], keyHash: KeyHash
    ) throws(StoreError) {
        self.type = type
        self.database = database
        self.keyHash = keyHash
        idParts = try OpenType.keyParts(of: type.idFields, in: type)
        idFieldIndexes = idParts.map(\.fieldIndex)
        var indexes: [OpenIndex] = []
        for (stored, database) in zip(type.indexes, indexDatabases) {
            let parts = try OpenType.keyParts(of: stored.fields, in: type)
            let first = parts.first.map { type.fields[$0.fieldIndex].type }
            indexes.append(
                OpenIndex(
                    stored: stored, database: database, parts: parts, keyHash: keyHash, elementType: first?.elements,
                    isOptional: first?.isOptional ?? false))
        }
        self.indexes = indexes
        singleIndexes = indexes.filter { !$0.isMultiple }
        multipleIndexes = indexes.filter(\.isMultiple)
        self.indexDatabases = indexDatabases
        fieldNames = type.fields.map(\.name)
        hasRenamedFields = type.fields.contains { !$0.schema.renamedFrom.isEmpty }
        lookupPaths = LookupPath.all(idParts: idParts, indexes: indexes)
        sortParts = type.fields.map { field in
            guard let access = try? FieldAccess(FieldName([field.name]), of: type),
                let component = KeyComponent(access.type)
            else { return nil }
            return SortPart(access: access, component: component, isDescending: false, path: nil)
        }
        hasOrder = sortParts.map { $0 != nil }
        tokens = type.fields.enumerated().compactMap { fieldIndex, field in
            guard case .token(let token) = field.schema.defaultValue else { return nil }
            return (fieldIndex, token)
        }
        assignedFieldIndex = type.assignsIDs ? idParts.first?.fieldIndex : nil
        var upgrades: [UInt32: RecordUpgrade?] = [:]
        for earlier in type.earlierVersions {
            upgrades.updateValue(RecordUpgrade(from: earlier, to: type), forKey: earlier.version)
        }
        self.upgrades = upgrades
    }

    /// Returns the index of the field that has this name now, or else of the field that had it earlier.
    func newestFieldIndex(named name: String) -> Int? {
        fieldNames.firstIndex(of: name) ?? (hasRenamedFields ? type.fieldIndex(named: name) : nil)
    }

    /// Returns the database of an index, by its index in ``indexes``; for nil, the database of the records.
    func database(ofIndex indexNumber: Int?) -> LMDBDatabase {
        if let indexNumber { indexDatabases[indexNumber] } else { database }
    }

    /// Returns the sort of records by one of their own fields; nil for other names, and for fields that have no order.
    func sortPart(_ term: SortTerm) -> SortPart? {
        guard let fieldIndex = sortFieldIndex(term) else { return nil }
        var part = sortParts[fieldIndex]
        part?.isDescending = term.isDescending
        return part
    }

    /// Returns the index of the record's own field to sort by; nil for other names, and for fields that have no order.
    func sortFieldIndex(_ term: SortTerm) -> Int? {
        guard let single = term.field.single, let fieldIndex = newestFieldIndex(named: single), hasOrder[fieldIndex]
        else {
            return nil
        }
        return fieldIndex
    }

    /// Returns whether the field at `fieldIndex` is part of the id.
    func isPartOfID(_ fieldIndex: Int) -> Bool { idParts.contains { $0.fieldIndex == fieldIndex } }

    /// The type's name.
    package var name: String { type.name }

    /// Returns the conversion of records of `version` to the newest version; nil if they already have its form.
    package func upgrade(fromVersion version: UInt32) throws(CodecError) -> RecordUpgrade? {
        if version == type.version { return nil }
        guard let upgrade = upgrades[version] else {
            throw CodecError("the record has version \(version) of \(name), which the catalog lacks")
        }
        return upgrade
    }

    /// Returns why a record has no form in the newest version; nil if it has one.
    func misfit(_ record: RecordBytes) throws(CodecError) -> String? {
        try upgrade(fromVersion: record.schemaVersion)?.misfit(record)
    }

    /// Calls `body` with a record in the form of the newest version.
    package func withNewest<T>(
        _ record: RecordBytes, _ body: (RecordBytes) throws(CodecError) -> T
    ) throws(CodecError) -> T {
        guard let upgrade = try upgrade(fromVersion: record.schemaVersion) else { return try body(record) }
        let bytes = try upgrade.apply(to: record)
        return unsafe try body(RecordBytes(unverified: bytes.span.bytes))
    }

    private static func keyParts(of fields: [UInt32], in type: RecordType) throws(StoreError) -> [KeyPart] {
        var parts: [KeyPart] = []
        for id in fields {
            guard let fieldIndex = type.fieldIndex(ofID: id),
                let component = KeyComponent(type.fields[fieldIndex].type.elements ?? type.fields[fieldIndex].type)
            else {
                throw StoreError(
                    .damaged,
                    "the catalog entry of \(type.name) uses field \(id) as a key, but its type cannot be a key",
                    remedy: "restore a backup")
            }
            parts.append(KeyPart(fieldIndex: fieldIndex, component: component))
        }
        return parts
    }
}

/// One field of a key.
package struct KeyPart: Sendable {
    /// The index of the field in the record.
    package let fieldIndex: Int
    /// The conversion of its bytes to key bytes.
    package let component: KeyComponent
}

/// An index of an open store.
package struct OpenIndex: Sendable {
    /// The catalog's entry.
    package let stored: StoredIndex
    /// The database of its entries.
    package let database: LMDBDatabase
    /// The indexed fields, and their conversion to the value part of an entry's key. If the index has several entries for a
    /// record, it describes the elements of the one field.
    package let parts: [KeyPart]
    /// How the store hashes value parts that are too long.
    package let keyHash: KeyHash
    /// The type of the elements, if the index has one entry for each element; otherwise nil.
    let elementType: FieldType?
    /// Whether the first field may be nil.
    let isOptional: Bool

    /// Whether a record has one entry for each element of its only indexed field, instead of one entry for all fields.
    package var isMultiple: Bool { elementType != nil }

    /// Returns the names of the indexed fields in `type`, for messages.
    package func fieldNames(in type: RecordType) -> String {
        parts.map { type.fields[$0.fieldIndex].name }.joined(separator: ", ")
    }
}
