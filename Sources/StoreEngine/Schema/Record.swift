/// A value that a store keeps under its id. Conform with the macro `@Record`.
public protocol Record: Sendable, Equatable {
    /// The id's type: that of the one property marked `@ID`, or a struct of several.
    associatedtype ID: Hashable & Sendable
    /// What keys are made of: the id, or its raw value where the id itself does not name ``IndexableValue``.
    associatedtype _IDKey: IndexableValue
    /// One token for each stored property.
    associatedtype Fields: Sendable

    /// The tokens of the fields that are unique by themselves: those marked `@Unique`.
    associatedtype UniqueFields: Sendable = NoUniqueFields

    /// The tokens.
    static var fields: Fields { get }

    /// The tokens of the fields that are unique by themselves.
    static var uniqueFields: UniqueFields { get }

    /// What this type declares.
    static var recordSchema: RecordSchema { get }

    /// The record type's name in the store, as ``recordSchema`` has it. References name their target by it while schemas
    /// are still being made, so it must not come from there.
    static var _recordName: String { get }

    /// The record's id.
    var recordID: ID { get }

    /// What the key of an id is made of.
    static func _key(of id: ID) -> _IDKey

    /// The id that a key is made of; nil where there is none.
    static func _id(of key: _IDKey) -> ID?

    /// Encodes each field in the order of ``recordSchema``.
    func encode(to encoder: inout FieldEncoder) throws(CodecError)

    /// Decodes each field.
    init(from decoder: borrowing FieldDecoder) throws(CodecError)
}

/// The unique fields of a record that has none.
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
    /// The id itself.
    @inlinable public static func _key(of id: ID) -> ID { id }

    /// The id itself.
    @inlinable public static func _id(of key: ID) -> ID? { key }
}

extension Record where ID: RawRepresentable, ID.RawValue: IndexableValue {
    /// The raw value of the id.
    @inlinable public static func _key(of id: ID) -> ID.RawValue { id.rawValue }

    /// The id with this raw value.
    @inlinable public static func _id(of key: ID.RawValue) -> ID? { ID(rawValue: key) }
}

// Where both of the above hold, Swift needs one that is better than either.
extension Record where ID: IndexableValue & RawRepresentable, ID.RawValue: IndexableValue {
    /// The id itself.
    @inlinable public static func _key(of id: ID) -> ID { id }

    /// The id itself.
    @inlinable public static func _id(of key: ID) -> ID? { key }
}
