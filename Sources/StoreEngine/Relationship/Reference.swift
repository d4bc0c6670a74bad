/// A reference to a record of another type, or of the same one, by its id.
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
/// A reference holds the id and nothing else: it takes what an id takes, and reading it reads no other record. The store
/// sees to it that the record exists at the end of every write, unless the rule of the field is ``DeleteRule/none``, and
/// keeps an index by which ``Inverse`` finds the way back.
///
/// It can be written as a literal where the id can: `Sensor(id: "s1", room: "kitchen")`.
public struct Reference<Target: Record>: Hashable, Sendable {
    /// The id of the record that is referred to.
    public let id: Target.ID

    /// A reference to the record with this id.
    @inlinable public init(_ id: Target.ID) { self.id = id }

    /// A reference to a record.
    @inlinable public init(to record: Target) { id = record.recordID }
}

extension Reference: IndexableValue {
    public static var fieldType: FieldType { .reference(to: Target._recordName, id: Target._IDKey.fieldType) }
    @inlinable public static var fixedByteCount: Int? { Target._IDKey.fixedByteCount }

    /// Encodes the id.
    @inlinable
    public func encode(to writer: inout ByteWriter) throws(CodecError) { try Target._key(of: id).encode(to: &writer) }

    /// Appends the key of the id, which is that of the record.
    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { Target._key(of: id).encodeKey(to: &writer) }

    /// Decodes an id.
    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        guard let id = Target._id(of: try Target._IDKey(from: bytes)) else { throw Self.noID }
        self.id = id
    }

    @usableFromInline static var noID: CodecError {
        CodecError("\(Target.ID.self) has no value for an id in the store")
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

/// Any reference, for what works without its type.
protocol AnyReference {}

extension Reference: AnyReference {}

extension Reference: ExpressibleByUnicodeScalarLiteral where Target.ID: ExpressibleByUnicodeScalarLiteral {
    /// A reference to the record with the id that the literal says.
    @inlinable
    public init(unicodeScalarLiteral value: Target.ID.UnicodeScalarLiteralType) {
        id = Target.ID(unicodeScalarLiteral: value)
    }
}

extension Reference: ExpressibleByExtendedGraphemeClusterLiteral
where Target.ID: ExpressibleByExtendedGraphemeClusterLiteral {
    /// A reference to the record with the id that the literal says.
    @inlinable
    public init(extendedGraphemeClusterLiteral value: Target.ID.ExtendedGraphemeClusterLiteralType) {
        id = Target.ID(extendedGraphemeClusterLiteral: value)
    }
}

extension Reference: ExpressibleByStringLiteral where Target.ID: ExpressibleByStringLiteral {
    /// A reference to the record with the id that the literal says.
    @inlinable
    public init(stringLiteral value: Target.ID.StringLiteralType) { id = Target.ID(stringLiteral: value) }
}

extension Reference: ExpressibleByIntegerLiteral where Target.ID: ExpressibleByIntegerLiteral {
    /// A reference to the record with the id that the literal says.
    @inlinable
    public init(integerLiteral value: Target.ID.IntegerLiteralType) { id = Target.ID(integerLiteral: value) }
}
