/// The declaration of a Swift type for its records: fields, id and indexes. The macro `@Record` generates it.
///
/// The catalog of a store turns it into a record type, which has permanent numbers for the fields and indexes.
public struct RecordSchema: Hashable, Sendable {
    /// The record type's name in the store.
    public let name: String
    /// The fields, in the order in which they are declared.
    public let fields: [FieldSchema]
    /// The fields that form the id.
    public let id: IDSchema
    /// The indexes in addition to the id. Each field that refers to records has its own index, even if none is declared.
    public let indexes: [IndexSchema]

    /// Creates a schema. Indexes and the id identify fields by their index in `fields`.
    public init(name: String, fields: [FieldSchema], id: IDSchema, indexes: [IndexSchema] = []) {
        self.name = name
        self.fields = fields
        self.id = id
        let references = fields.indices.filter { fields[$0].type.reference != nil }
        // When the store deletes a record, it uses this index to find the records that refer to it.
        let implied = references.filter { fieldIndex in !indexes.contains { $0.fields == [fieldIndex] } }
        self.indexes = indexes + implied.map { IndexSchema([$0]) }
    }
}

/// The fields of an embedded struct.
public struct EmbeddedSchema: Hashable, Sendable {
    /// The fields, in the order in which they are declared.
    public let fields: [FieldSchema]

    /// Creates a schema with `fields`.
    public init(fields: [FieldSchema]) { self.fields = fields }
}

/// One declared field.
public struct FieldSchema: Hashable, Sendable {
    /// The field's name.
    public let name: String
    /// The type of the field's values.
    public let type: FieldType
    /// The default for an insert that leaves out this field; nil if there is none.
    public let defaultValue: FieldDefault?
    /// The earlier names of the field, the newest first.
    public let renamedFrom: [String]
    /// The rule for the record when a transaction deletes a record that this field refers to. It has no effect for other fields.
    public let deleteRule: DeleteRule

    /// Creates a field from its parts.
    public init(
        name: String, type: FieldType, defaultValue: FieldDefault?, renamedFrom: [String], onDelete: DeleteRule = .deny
    ) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.renamedFrom = renamedFrom
        deleteRule = onDelete
    }

    /// Returns the same field with another delete rule.
    public func onDelete(_ rule: DeleteRule) -> FieldSchema {
        FieldSchema(name: name, type: type, defaultValue: defaultValue, renamedFrom: renamedFrom, onDelete: rule)
    }

    /// Creates a field whose type conforms to ``FieldValue``.
    public init<V: FieldValue>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) {
        self.init(name: name, type: V.fieldType, defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// Creates a field whose type conforms to ``FieldValue``, with the literal in its declaration as the default.
    ///
    /// The default has the field's own type and not an optional of it, so that `.none` means a case of the field's enum.
    public init<V: FieldValue>(_ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []) {
        // A literal always encodes. If it did not, the field would only lack a default in the catalog.
        let encoded = try? value.encoded()
        self.init(name: name, type: V.fieldType, defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// Creates a field for an enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .ofRawValues(V.self), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// Creates a field with a default for an enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? value.rawValue.encoded()
        self.init(
            name: name, type: .ofRawValues(V.self), defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// Creates a field for an optional enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V?.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .optional(.ofRawValues(V.self)), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// Creates a field with a default for an optional enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ name: String, _ type: V?.Type, default value: V?, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? (value?.rawValue).encoded()
        self.init(
            name: name, type: .optional(.ofRawValues(V.self)), defaultValue: encoded.map { .value($0) },
            renamedFrom: renamedFrom)
    }

    /// Creates a field for a `Codable` enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .ofRawValues(V.self), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// Creates a field with a default for a `Codable` enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? value.rawValue.encoded()
        self.init(
            name: name, type: .ofRawValues(V.self), defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// Creates a field for an optional `Codable` enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V?.Type, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        self.init(name: name, type: .optional(.ofRawValues(V.self)), defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// Creates a field with a default for an optional `Codable` enum that does not conform to ``FieldValue``.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ type: V?.Type, default value: V?, renamedFrom: [String] = []
    ) where V.RawValue: FieldValue {
        let encoded = try? (value?.rawValue).encoded()
        self.init(
            name: name, type: .optional(.ofRawValues(V.self)), defaultValue: encoded.map { .value($0) },
            renamedFrom: renamedFrom)
    }

    /// Creates a field for a type that conforms only to `Codable`.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) {
        self.init(name: name, type: .json, defaultValue: nil, renamedFrom: renamedFrom)
    }

    /// Creates a field with a default, for a type that conforms only to `Codable`.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []) {
        let encoded = try? JSONField(value).encoded()
        self.init(name: name, type: .json, defaultValue: encoded.map { .value($0) }, renamedFrom: renamedFrom)
    }

    /// Creates a field that the transaction fills in.
    public init<V: FieldValue>(_ name: String, _ type: V.Type, token: DefaultToken, renamedFrom: [String] = []) {
        self.init(name: name, type: V.fieldType, defaultValue: .token(token), renamedFrom: renamedFrom)
    }
}

/// The default of a field for an insert that leaves the field out.
public enum FieldDefault: Hashable, Sendable {
    /// A constant, in the encoding of the field's type.
    case value([UInt8])
    /// A value that the transaction fills in.
    case token(DefaultToken)
}

/// The fields that form a record's id.
public struct IDSchema: Hashable, Sendable {
    /// The field indexes of the id's fields.
    public let fields: [Int]
    /// Whether the store assigns the ids: increasing integers, none of them twice.
    public let isAssigned: Bool

    /// Creates an id of `fields`.
    public init(_ fields: [Int], isAssigned: Bool = false) {
        self.fields = fields
        self.isAssigned = isAssigned
    }
}

/// An index over one or more fields.
public struct IndexSchema: Hashable, Sendable {
    /// The field indexes of the indexed fields, the most significant first.
    public let fields: [Int]
    /// Whether no two records may have equal values in all of these fields. Records with nil in one of the fields are exempt.
    public let isUnique: Bool

    /// Creates an index over `fields`.
    public init(_ fields: [Int], isUnique: Bool = false) {
        self.fields = fields
        self.isUnique = isUnique
    }
}
