/// A value that a field of a record can hold.
///
/// The library conforms integers of all widths, `Double`, `Float`, `Bool`, `String`, `Data`, `[UInt8]`, `UUID`, `Date`, `URL`,
/// `Decimal` and `Duration`. It also conforms optionals, arrays, sets and dictionaries of these types.
///
/// - An enum with a raw value of such a type conforms by naming the protocol: `enum Region: String, FieldValue { … }`.
/// - A struct conforms with the macro `@Embedded`.
///
/// An encoding does not contain its own length. The container that stores it, such as a record, records its end.
/// <doc:TheFileFormat> documents the encoding of each type.
public protocol FieldValue: Sendable {
    /// The catalog's description of this type.
    static var fieldType: FieldType { get }

    /// The size of every encoding of this type in bytes; nil if sizes differ.
    static var fixedByteCount: Int? { get }

    /// Appends the encoding. Takes time linear in the size of the encoding.
    func encode(to writer: inout ByteWriter) throws(CodecError)

    /// The value that a field of this type has in a record of an older schema version that lacks the field; nil if there is no
    /// such value.
    static var absentValue: Self? { get }

    /// Decodes a value from exactly `bytes`.
    ///
    /// - Throws: ``CodecError`` if `bytes` do not encode a value of this type. Damaged input never traps.
    init(from bytes: RawSpan) throws(CodecError)
}

/// A value that can be an id, a part of an id, or a part of an index. It has an encoding whose byte order is the order of the
/// values.
public protocol IndexableValue: FieldValue, Hashable {
    /// The type whose values conditions compare: the type itself, or for an optional the type of the wrapped value.
    associatedtype Compared: IndexableValue = Self

    /// Appends the order-preserving encoding, which also marks its own end.
    ///
    /// The store orders values by these bytes: `a` comes before `b` exactly when the bytes of `a` come before the bytes of `b`.
    func encodeKey(to writer: inout ByteWriter)
}

extension FieldValue {
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable public static var absentValue: Self? { nil }

    /// Decodes a value from an array of bytes.
    package init(from array: [UInt8]) throws(CodecError) {
        unsafe try self.init(from: array.span.bytes)
    }

    /// Returns the encoding as an array.
    package func encoded() throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try encode(to: &writer)
        return writer.array()
    }
}

extension RawSpan {
    /// Throws an error unless this span has the size that a fixed-size type requires.
    @inlinable
    func requireByteCount(_ expected: Int, _ type: StaticString) throws(CodecError) {
        guard byteCount == expected else {
            throw CodecError("\(type) takes \(expected) bytes, found \(byteCount)")
        }
    }
}
