/// A value that a record's field can hold.
///
/// The library conforms integers of all widths, `Double`, `Float`, `Bool`, `String`, `Data`, `[UInt8]`, `UUID`,
/// `Date`, `URL`, `Decimal`, `Duration`, and optionals, arrays, sets and dictionaries of these. An enum with a raw
/// value of such a type conforms by naming the protocol: `enum Region: String, FieldValue { … }`. A struct conforms
/// by `@Embedded`.
///
/// An encoding carries no length of its own: whoever stores it knows where it ends. It is documented for each type
/// in the article *The file format*.
public protocol FieldValue: Sendable {
    /// How the catalog describes this type.
    static var fieldType: FieldType { get }

    /// The size of every encoding of this type in bytes, or nil where sizes differ.
    static var fixedByteCount: Int? { get }

    /// Appends the encoding. Linear in its size.
    func encode(to writer: inout ByteWriter) throws(CodecError)

    /// The value of a field that a record of an older schema version does not have; nil where there is none.
    static var absentValue: Self? { get }

    /// Decodes a value from exactly `bytes`.
    ///
    /// - Throws: ``CodecError`` when `bytes` is no encoding of this type; damaged input never traps.
    init(from bytes: RawSpan) throws(CodecError)
}

/// A value that can be (part of) an id or of an index: it has an encoding whose byte order is its order.
public protocol IndexableValue: FieldValue, Hashable {
    /// What values are compared as: the type itself, or for an optional that of the values that are there.
    associatedtype Compared: IndexableValue = Self

    /// Appends the order-preserving encoding, which also tells where it ends.
    ///
    /// For any two values `a` and `b`, `a < b` exactly when the bytes of `a` come before those of `b`.
    func encodeKey(to writer: inout ByteWriter)
}

extension FieldValue {
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable public static var absentValue: Self? { nil }

    /// Decodes a value from an array of bytes.
    package init(from array: [UInt8]) throws(CodecError) {
        unsafe try self.init(from: array.span.bytes)
    }

    /// The encoding as an array.
    package func encoded() throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try encode(to: &writer)
        return writer.array()
    }
}

extension RawSpan {
    /// Fails unless this span has just the size that a fixed-size type needs.
    @inlinable
    func requireByteCount(_ expected: Int, _ type: StaticString) throws(CodecError) {
        guard byteCount == expected else {
            throw CodecError("\(type) takes \(expected) bytes, found \(byteCount)")
        }
    }
}
