/// What a Swift type declares of its records: fields, id, indexes. The macro `@Record` writes it.
///
/// The catalog of a store turns it into a ``RecordType`` with stable numbers for the fields and indexes.
public struct RecordSchema: Hashable, Sendable {
    /// The record type's name in the store.
    public let name: String
    /// The fields, in the order in which they are declared.
    public let fields: [FieldSchema]
    /// Which fields are the id.
    public let id: IDSchema
    /// The indexes besides the id. Each field that refers to records has one of its own, declared or not.
    public let indexes: [IndexSchema]

    /// A schema; indexes and id name fields by their place in `fields`.
    public init(name: String, fields: [FieldSchema], id: IDSchema, indexes: [IndexSchema] = []) {
        self.name = name
        self.fields = fields
        self.id = id
        let references = fields.indices.filter { fields[$0].type.reference != nil }
        // By it the records that refer to a record are found when that is deleted.
        let implied = references.filter { fieldIndex in !indexes.contains { $0.fields == [fieldIndex] } }
        self.indexes = indexes + implied.map { IndexSchema([$0]) }
    }
}

/// The fields of an embedded struct.
public struct EmbeddedSchema: Hashable, Sendable {
    /// The fields, in the order in which they are declared.
    public let fields: [FieldSchema]

    /// A schema of `fields`.
    public init(fields: [FieldSchema]) { self.fields = fields }
}

/// One declared field.
public struct FieldSchema: Hashable, Sendable {
    /// The field's name.
    public let name: String
    /// What it holds.
    public let type: FieldType
    /// What an insert without this field gets, if it may be left out.
    public let defaultValue: FieldDefault?
    /// Earlier names, newest first.
    public let renamedFrom: [String]
    /// What becomes of the record when one that this field refers to is deleted. Means nothing for other fields.
    public let deleteRule: DeleteRule

    /// A field from its parts.
    public init(
        name: String, type: FieldType, defaultValue: FieldDefault?, renamedFrom: [String], onDelete: DeleteRule = .deny
    ) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.renamedFrom = renamedFrom
        deleteRule = onDelete
    }

    /// The same field with another delete rule.
    public func onDelete(_ rule: DeleteRule) -> FieldSchema {
        FieldSchema(name: name, type: type, defaultValue: defaultValue, renamedFrom: renamedFrom, onDelete: rule)
    }

    /// A field of a type that the store knows.
    public init<V: FieldValue>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) {
        self.init(name: name, type: V.fieldType, defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// A field of a type that the store knows, with the literal it is declared with.
    ///
    /// The default has the field's own type, not an optional of it: `.none` is a case of the field's enum then.
    public init<V: FieldValue>(_ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []) {
        // A literal always encodes; were it not to, the field would just have no default in the catalog.
        let encoded = try? value.encoded()
        self.init(name: name, type: V.fieldType, defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// A field of an enum that does not name ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .ofRawValues(V.self), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// A field of an enum that does not name ``FieldValue``, with its default.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? value.rawValue.encoded()
        self.init(
            name: name, type: .ofRawValues(V.self), defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// A field of an optional enum that does not name ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V?.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .optional(.ofRawValues(V.self)), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// A field of an optional enum that does not name ``FieldValue``, with its default.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V?.Type, default value: V?, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? (value?.rawValue).encoded()
        self.init(
            name: name, type: .optional(.ofRawValues(V.self)), defaultValue: encoded.map { .value($0) },
            renamedFrom: renamedFrom)
    }

    /// A field of an enum that does not name ``FieldValue`` but is Codable.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .ofRawValues(V.self), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// A field of an enum that does not name ``FieldValue`` but is Codable, with its default.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? value.rawValue.encoded()
        self.init(
            name: name, type: .ofRawValues(V.self), defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// A field of an optional enum that does not name ``FieldValue`` but is Codable.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V?.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .optional(.ofRawValues(V.self)), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// A field of an optional enum that does not name ``FieldValue`` but is Codable, with its default.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V?.Type, default value: V?, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? (value?.rawValue).encoded()
        self.init(
            name: name, type: .optional(.ofRawValues(V.self)), defaultValue: encoded.map { .value($0) },
            renamedFrom: renamedFrom)
    }

    /// A field of a type that is only `Codable`.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) {
        self.init(name: name, type: .json, defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// A field of a type that is only `Codable`, with its default.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []) {
        let encoded = try? JSONField(value).encoded()
        self.init(name: name, type: .json, defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// A field that the transaction fills in.
    public init<V: FieldValue>(_ name: String, _ type: V.Type, token: DefaultToken, renamedFrom: [String] = []) {
        self.init(name: name, type: V.fieldType, defaultValue: .token(token), renamedFrom: renamedFrom)
    }
}

/// What an insert without a field gets.
public enum FieldDefault: Hashable, Sendable {
    /// A constant, encoded as the field's type says.
    case value([UInt8])
    /// What the transaction fills in.
    case token(DefaultToken)
}

/// Which fields are a record's id.
public struct IDSchema: Hashable, Sendable {
    /// The places of the id's fields.
    public let fields: [Int]
    /// Whether the store assigns increasing integers, never one twice.
    public let isAssigned: Bool

    /// An id of `fields`.
    public init(_ fields: [Int], isAssigned: Bool = false) {
        self.fields = fields
        self.isAssigned = isAssigned
    }
}

/// An index over one or more fields.
public struct IndexSchema: Hashable, Sendable {
    /// The places of the indexed fields, the most significant first.
    public let fields: [Int]
    /// Whether no two records may have equal values in all of these fields. Records with none in one are exempt.
    public let isUnique: Bool

    /// An index over `fields`.
    public init(_ fields: [Int], isUnique: Bool = false) {
        self.fields = fields
        self.isUnique = isUnique
    }
}
