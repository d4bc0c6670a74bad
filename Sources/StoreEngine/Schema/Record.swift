/// A value that a store keeps under its id. Conform with the macro `@Record`.
public protocol Record: Sendable, Equatable {
    /// The type of the id: the type of the property marked `@ID`, or a struct if several properties are marked.
    associatedtype ID: Hashable & Sendable
    /// The type of the values that form keys: the id, or its raw value if the id does not conform to ``IndexableValue``.
    associatedtype _IDKey: IndexableValue
    /// The type that has one token for each stored property.
    associatedtype Fields: Sendable

    /// The type that has a token for each field that is unique by itself, which is each field marked `@Unique`.
    associatedtype UniqueFields: Sendable = NoUniqueFields

    /// The tokens of the stored properties.
    static var fields: Fields { get }

    /// The tokens of the fields that are unique by themselves.
    static var uniqueFields: UniqueFields { get }

    /// The schema that this type declares.
    static var recordSchema: RecordSchema { get }

    /// The record type's name in the store, equal to the name in ``recordSchema``.
    ///
    /// References use this name for their target while schemas are still under construction. An implementation must therefore not
    /// read it from ``recordSchema``.
    static var _recordName: String { get }

    /// The record's id.
    var recordID: ID { get }

    /// Returns the value that forms the key of an id.
    static func _key(of id: ID) -> _IDKey

    /// Returns the id for a key value; nil if no id has that value.
    static func _id(of key: _IDKey) -> ID?

    /// Encodes each field in the order of ``recordSchema``.
    func encode(to encoder: inout FieldEncoder) throws(CodecError)

    /// Decodes each field.
    init(from decoder: borrowing FieldDecoder) throws(CodecError)
}

/// The unique fields of a record type without unique fields.
public struct NoUniqueFields: Sendable {
    @inlinable
    init() {}
}

extension Record where UniqueFields == NoUniqueFields {
    /// No tokens.
    @inlinable public static var uniqueFields: NoUniqueFields { NoUniqueFields() }
}

extension Record {
    /// The name of the Swift type.
    public static var _recordName: String { String(describing: Self.self) }
}

extension Record where ID: IndexableValue {
    /// Returns the id itself.
    @inlinable public static func _key(of id: ID) -> ID { id }

    /// Returns the id itself.
    @inlinable public static func _id(of key: ID) -> ID? { key }
}

extension Record where ID: RawRepresentable, ID.RawValue: IndexableValue {
    /// Returns the raw value of the id.
    @inlinable public static func _key(of id: ID) -> ID.RawValue { id.rawValue }

    /// Returns the id with this raw value; nil if there is none.
    @inlinable public static func _id(of key: ID.RawValue) -> ID? { ID(rawValue: key) }
}

// If an id type meets the conditions of both extensions above, Swift needs a more specific one.
extension Record where ID: IndexableValue & RawRepresentable, ID.RawValue: IndexableValue {
    /// Returns the id itself.
    @inlinable public static func _key(of id: ID) -> ID { id }

    /// Returns the id itself.
    @inlinable public static func _id(of key: ID) -> ID? { key }
}
