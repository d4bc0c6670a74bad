/// A record type as the catalog of a store describes it.
///
/// Fields and indexes have numbers that stay the same for the life of the store, whatever becomes of their names and
/// order. A record carries the version of the schema that it was written with; the fields of every version are kept.
package struct RecordType: Hashable, Sendable, Codable {
    /// The type's number in the store.
    package let id: UInt32
    /// The type's name.
    package var name: String
    /// The version of the newest fields. Goes up with every change of them.
    package var version: UInt32
    /// The newest version's fields, in the order in which records hold them.
    package var fields: [StoredField]
    /// Which of `fields` are the id, by number.
    package var idFields: [UInt32]
    /// Whether the store assigns increasing ids.
    package var assignsIDs: Bool
    /// The indexes.
    package var indexes: [StoredIndex]
    /// The fields of earlier versions, in the order in which records of that version hold them.
    package var earlierVersions: [EarlierVersion]
    /// The oldest version whose programs can go on beside those of the newest; nil stands for the first.
    var oldestCompatible: UInt32?
    /// Whether another type took this one's place, with its name. Its description stays, because change sets in the feed
    /// may speak of its records.
    package var isReplaced: Bool?
    /// The number that the next new field gets.
    package var nextFieldID: UInt32
    /// The number that the next new index gets.
    package var nextIndexID: UInt32
}

/// One field of a record type in the catalog.
package struct StoredField: Hashable, Sendable, Codable {
    /// The field's number, never used for another field of the type.
    package let id: UInt32
    /// The field's name, type, default and earlier names.
    package var schema: FieldSchema
    /// What records have here that were written before the field was there, as the default was then; nil for none.
    package var missing: [UInt8]?

    init(id: UInt32, schema: FieldSchema, missing: [UInt8]? = nil) {
        self.id = id
        self.schema = schema
        self.missing = missing
    }

    /// The field's name.
    package var name: String { schema.name }
    /// What the field holds.
    package var type: FieldType { schema.type }
}

/// One index of a record type in the catalog.
package struct StoredIndex: Hashable, Sendable, Codable {
    /// The index's number, never used for another index of the type.
    package let id: UInt32
    /// The numbers of the indexed fields, the most significant first.
    package var fields: [UInt32]
    /// Whether no two records may have equal values.
    package var isUnique: Bool
    /// Whether records from before the index are still without their entries. Every write keeps the index in step, but
    /// nothing is looked up in it.
    package var isBuilding = false
}

extension StoredIndex {
    private enum Key: String, CodingKey {
        case id, fields, isUnique, isBuilding
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try container.decode(UInt32.self, forKey: .id),
            fields: try container.decode([UInt32].self, forKey: .fields),
            isUnique: try container.decode(Bool.self, forKey: .isUnique),
            isBuilding: try container.decodeIfPresent(Bool.self, forKey: .isBuilding) ?? false)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(fields, forKey: .fields)
        try container.encode(isUnique, forKey: .isUnique)
        // Absent in catalogs from before there was such a state.
        if isBuilding { try container.encode(true, forKey: .isBuilding) }
    }
}

/// The fields of a version that records in the store may still follow.
package struct EarlierVersion: Hashable, Sendable, Codable {
    /// The version.
    package let version: UInt32
    /// Its fields as they were.
    package var fields: [StoredField]
    /// Which of them were the id, by number; nil for those that are now.
    package var idFields: [UInt32]?
}

extension RecordType {
    /// A new type from what a Swift type, or a schema document, declares.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when the declaration contradicts itself.
    package init(id: UInt32, declared: RecordSchema) throws(StoreError) {
        try declared.validate()
        self.id = id
        name = declared.name
        version = 1
        fields = declared.fields.enumerated().map { StoredField(id: UInt32($0.offset), schema: $0.element) }
        idFields = declared.id.fields.map { UInt32($0) }
        assignsIDs = declared.id.isAssigned
        indexes = declared.indexes.enumerated().map {
            StoredIndex(
                id: UInt32($0.offset), fields: $0.element.fields.map { UInt32($0) }, isUnique: $0.element.isUnique)
        }
        earlierVersions = []
        nextFieldID = UInt32(fields.count)
        nextIndexID = UInt32(indexes.count)
    }

    /// The oldest version whose programs can use the store together with those of the newest.
    package var oldestCompatibleVersion: UInt32 { oldestCompatible ?? 1 }

    /// The place of the field that has this name among the newest version's fields, or else had it before.
    package func fieldIndex(named name: String) -> Int? {
        fields.firstIndex { $0.name == name } ?? fields.firstIndex { $0.schema.renamedFrom.contains(name) }
    }

    /// Whether the field at `fieldIndex` is meant by a name: its own, or an earlier one that no other field has now.
    func isField(_ fieldIndex: Int, named name: String) -> Bool {
        let schema = fields[fieldIndex].schema
        if schema.name == name { return true }
        return !schema.renamedFrom.isEmpty && self.fieldIndex(named: name) == fieldIndex
    }

    /// Whether records of a version have the id that records have now.
    func hasNewestID(inVersion version: UInt32) -> Bool {
        guard version != self.version else { return true }
        return earlierVersions.first { $0.version == version }?.idFields.map { $0 == idFields } ?? true
    }

    /// The place of the field with this number among the newest version's fields.
    package func fieldIndex(ofID id: UInt32) -> Int? { fields.firstIndex { $0.id == id } }

    /// What a Swift type would have to declare for this type.
    package var schema: RecordSchema {
        RecordSchema(
            name: name,
            fields: fields.map(\.schema),
            id: IDSchema(idFields.compactMap(fieldIndex(ofID:)), isAssigned: assignsIDs),
            indexes: indexes.map { IndexSchema($0.fields.compactMap(fieldIndex(ofID:)), isUnique: $0.isUnique) })
    }
}
