/// A field whose struct, or whose referenced record, does not have the requested field.
public protocol _LacksField<Root> {
    associatedtype Root
}

@available(
    *, unavailable,
    message: """
        there is no field with this name: a reference and an embedded struct have the fields of their types, a text has \
        contains, hasPrefix, hasSuffix and equals, each with .caseInsensitive
        """
)
extension Field: _LacksField {}

extension _LacksField {
    /// Stands in for a field with an unknown name, in every expression that takes a field.
    public subscript(dynamicMember name: _NoFieldOfThisName) -> Field<Root, _NoSuchValue> { refused() }
}

// `callAsFunction` cannot be used: the compiler crashes where a call has arguments that the method does not declare.
extension Field where Value == _NoSuchValue {
    /// Accepts the call of a method that fields do not have, such as `lowercased()`. The compiler then reports the name.
    public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> Self { refused() }

    /// Accepts the call of a method whose result is used as a term, such as `starts(with: "x")`.
    @_disfavoredOverload
    public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> Condition<Root> {
        refused()
    }
}

/// A name that no field has.
///
/// The tokens of a record accept it as an unavailable member. A misspelled field therefore has a type in any part of a condition.
///
/// The name is not hashable, so no key path can contain it. In a key path, the compiler would report an unavailable member
/// without a source location. Because the name is not hashable, the compiler rejects such a key path and shows the name of this
/// type.
public struct _NoFieldOfThisName: ExpressibleByStringLiteral {
    /// Any name.
    public init(stringLiteral value: String) {}
}

/// The value of a field that does not exist.
///
/// It supports comparison with any literal and arithmetic, so the compiler reports only the name.
public struct _NoSuchValue: IndexableValue, Comparable, NumberFieldValue, TextFieldValue {
    /// The result of a calculation.
    public typealias Summand = Int

    /// No field has this type.
    public static var fieldType: FieldType { refused() }

    /// Rejects bytes.
    public init(from bytes: RawSpan) throws(CodecError) { throw CodecError("the field does not exist") }

    /// Encodes nothing, because there is no value.
    public func encode(to writer: inout ByteWriter) throws(CodecError) {}

    /// Encodes nothing, because there is no value.
    public func encodeKey(to writer: inout ByteWriter) {}

    /// Compares nothing, because there is no value.
    public static func < (left: _NoSuchValue, right: _NoSuchValue) -> Bool { false }
}

extension _NoSuchValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Accepts a literal.
    public init(integerLiteral value: Int) {}

    /// Accepts a literal.
    public init(floatLiteral value: Double) {}

    /// Accepts a literal.
    public init(stringLiteral value: String) {}

    /// Accepts a literal.
    public init(booleanLiteral value: Bool) {}

    /// Accepts a literal.
    public init(nilLiteral: ()) {}
}
