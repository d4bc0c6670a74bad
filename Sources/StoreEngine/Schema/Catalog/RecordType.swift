/// A record type as the catalog of a store describes it.
///
/// Fields and indexes have numbers that stay the same for the life of the store, even if names or the order change. A record
/// contains the version of the schema that it was written with, and the catalog keeps the fields of every version.
package struct RecordType: Hashable, Sendable, Codable {
    /// The type's number in the store.
    package let id: UInt32
    /// The type's name.
    package var name: String
    /// The version of the newest fields. It increases with every change of the fields.
    package var version: UInt32
    /// The newest version's fields, in the order in which records hold them.
    package var fields: [StoredField]
    /// The numbers of the fields that form the id.
    package var idFields: [UInt32]
    /// Whether the store assigns increasing ids.
    package var assignsIDs: Bool
    /// The indexes.
    package var indexes: [StoredIndex]
    /// The fields of earlier versions, in the order in which records of each version hold them.
    package var earlierVersions: [EarlierVersion]
    /// The oldest version whose programs can continue to work beside programs of the newest version; nil means the first version.
    var oldestCompatible: UInt32?
    /// Whether a migration has replaced this type with another type. The catalog keeps this description, because change sets in
    /// the feed may contain records of the type.
    package var isReplaced: Bool?
    /// The number that the next new field gets.
    package var nextFieldID: UInt32
    /// The number that the next new index gets.
    package var nextIndexID: UInt32
}

/// One field of a record type in the catalog.
package struct StoredField: Hashable, Sendable, Codable {
    /// The field's number, which the type never uses for another field.
    package let id: UInt32
    /// The field's name, type, default and earlier names.
    package var schema: FieldSchema
    /// The bytes of this field in records from before the field existed, taken from its default at that time; nil if such records
    /// have no value.
    package var missing: [UInt8]?

    init(id: UInt32, schema: FieldSchema, missing: [UInt8]? = nil) {
        self.id = id
        self.schema = schema
        self.missing = missing
    }

    /// The field's name.
    package var name: String { schema.name }
    /// The type of the field's values.
    package var type: FieldType { schema.type }
}

/// One index of a record type in the catalog.
package struct StoredIndex: Hashable, Sendable, Codable {
    /// The index's number, which the type never uses for another index.
    package let id: UInt32
    /// The numbers of the indexed fields, the most significant first.
    package var fields: [UInt32]
    /// Whether no two records may have equal values.
    package var isUnique: Bool
    /// Whether records from before the index still lack their entries. Every write keeps the index up to date, but no search uses
    /// it.
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
        // Absent in catalogs that were written before the library had this state.
        if isBuilding { try container.encode(true, forKey: .isBuilding) }
    }
}

/// The fields of an earlier version. Records in the store may still have this version.
package struct EarlierVersion: Hashable, Sendable, Codable {
    /// The version.
    package let version: UInt32
    /// The fields as they were in this version.
    package var fields: [StoredField]
    /// The numbers of the fields that formed the id; nil if the same fields form the id now.
    package var idFields: [UInt32]?
}

extension RecordType {
    /// Creates a new type from the declaration of a Swift type or of a schema document.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` if the declaration contradicts itself.
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

    /// The oldest version whose programs can use the store together with programs of the newest version.
    package var oldestCompatibleVersion: UInt32 { oldestCompatible ?? 1 }

    /// Returns the index, among the newest version's fields, of the field with this name, or else of the field that had this name
    /// before.
    package func fieldIndex(named name: String) -> Int? {
        fields.firstIndex { $0.name == name } ?? fields.firstIndex { $0.schema.renamedFrom.contains(name) }
    }

    /// Returns whether a name means the field at `fieldIndex`: its own name, or an earlier name that no other field has now.
    func isField(_ fieldIndex: Int, named name: String) -> Bool {
        let schema = fields[fieldIndex].schema
        if schema.name == name { return true }
        return !schema.renamedFrom.isEmpty && self.fieldIndex(named: name) == fieldIndex
    }

    /// Returns whether records of a version have the same id fields as records have now.
    func hasNewestID(inVersion version: UInt32) -> Bool {
        guard version != self.version else { return true }
        return earlierVersions.first { $0.version == version }?.idFields.map { $0 == idFields } ?? true
    }

    /// Returns whether records of a version need no conversion to the newest version. A renamed field makes a version, but no
    /// other form.
    package func hasNewestForm(inVersion version: UInt32) -> Bool {
        guard version != self.version else { return true }
        return earlierVersions.first { $0.version == version }.map { RecordUpgrade(from: $0, to: self) == nil } ?? false
    }

    /// The types of the id's fields.
    var idTypes: [FieldType] { idFields.compactMap(fieldIndex(ofID:)).map { fields[$0].type } }

    /// Returns the index, among the newest version's fields, of the field with this number; nil if there is none.
    package func fieldIndex(ofID id: UInt32) -> Int? { fields.firstIndex { $0.id == id } }

    /// The schema that a Swift type would have to declare for this type.
    package var schema: RecordSchema {
        RecordSchema(
            name: name,
            fields: fields.map(\.schema),
            id: IDSchema(idFields.compactMap(fieldIndex(ofID:)), isAssigned: assignsIDs),
            indexes: indexes.map { IndexSchema($0.fields.compactMap(fieldIndex(ofID:)), isUnique: $0.isUnique) })
    }
}
