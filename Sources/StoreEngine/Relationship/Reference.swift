/// A reference to a record of another type, or of the same type, by its id.
///
/// ```swift
/// @Record
/// struct Sensor {
///     @ID var id: String
///     var room: Reference<Room>
///     @Reference(onDelete: .nullify) var owner: Reference<Person>?
///     @Reference(onDelete: .nullify) var tags: [Reference<Tag>] = []
/// }
/// ```
///
/// A reference holds only the id. It takes as much space as an id, and reading it reads no other record. At the end of every
/// write, the store checks that the record exists, unless the rule of the field is ``DeleteRule/none``. The store also keeps an
/// index on every reference, which ``Inverse`` uses to find the referring records.
///
/// You can write a reference as a literal if you can write the id as one: `Sensor(id: "s1", room: "kitchen")`.
public struct Reference<Target: Record>: Hashable, Sendable {
    /// The id of the referenced record.
    public let id: Target.ID

    /// Creates a reference to the record with this id.
    @inlinable public init(_ id: Target.ID) { self.id = id }

    /// Creates a reference to a record.
    @inlinable public init(to record: Target) { id = record.recordID }
}

extension Reference: IndexableValue {
    public static var fieldType: FieldType { .reference(to: Target._recordName, id: Target._IDKey.fieldType) }
    @inlinable public static var fixedByteCount: Int? { Target._IDKey.fixedByteCount }

    /// Encodes the id.
    @inlinable
    public func encode(to writer: inout ByteWriter) throws(CodecError) { try Target._key(of: id).encode(to: &writer) }

    /// Appends the key of the id, which is also the key of the record.
    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { Target._key(of: id).encodeKey(to: &writer) }

    /// Decodes an id.
    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        let key = try Target._IDKey(from: bytes)
        guard let id = Target._id(of: key) else { throw CodecError(key, isNoRawValueOf: Target.ID.self) }
        self.id = id
    }
}

extension Reference: Encodable where Target.ID: Encodable {
    /// Encodes the id.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

extension Reference: Decodable where Target.ID: Decodable {
    /// Decodes an id.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(Target.ID.self)
    }
}

/// A reference of any type, for code that does not know the type.
protocol AnyReference {}

extension Reference: AnyReference {}

extension Reference: ExpressibleByUnicodeScalarLiteral where Target.ID: ExpressibleByUnicodeScalarLiteral {
    /// Creates a reference to the record whose id is the literal.
    @inlinable
    public init(unicodeScalarLiteral value: Target.ID.UnicodeScalarLiteralType) {
        id = Target.ID(unicodeScalarLiteral: value)
    }
}

extension Reference: ExpressibleByExtendedGraphemeClusterLiteral
where Target.ID: ExpressibleByExtendedGraphemeClusterLiteral {
    /// Creates a reference to the record whose id is the literal.
    @inlinable
    public init(extendedGraphemeClusterLiteral value: Target.ID.ExtendedGraphemeClusterLiteralType) {
        id = Target.ID(extendedGraphemeClusterLiteral: value)
    }
}

extension Reference: ExpressibleByStringLiteral where Target.ID: ExpressibleByStringLiteral {
    /// Creates a reference to the record whose id is the literal.
    @inlinable
    public init(stringLiteral value: Target.ID.StringLiteralType) { id = Target.ID(stringLiteral: value) }
}

extension Reference: ExpressibleByIntegerLiteral where Target.ID: ExpressibleByIntegerLiteral {
    /// Creates a reference to the record whose id is the literal.
    @inlinable
    public init(integerLiteral value: Target.ID.IntegerLiteralType) { id = Target.ID(integerLiteral: value) }
}
