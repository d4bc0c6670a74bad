/// A field that is asked for a field that its struct, or the record that it refers to, does not have.
public protocol _LacksField<Root> {
    associatedtype Root
}

@available(
    *, unavailable,
    message: """
        there is no field of this name: a reference and an embedded struct have the fields of their types, a text has \
        contains, hasPrefix, hasSuffix and equals, each with .caseInsensitive
        """
)
extension Field: _LacksField {}

extension _LacksField {
    /// Stands for a field of a name that no field has, wherever a field can stand.
    public subscript(dynamicMember name: _NoFieldOfThisName) -> Field<Root, _NoSuchValue> { refused() }
}

// Not `callAsFunction`: the compiler crashes where a call has other arguments than that declares.
extension Field where Value == _NoSuchValue {
    /// Takes the call of a method that fields do not have, such as `lowercased()`: the compiler then reports the name.
    public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> Self { refused() }

    /// Takes the call of a method whose result stands as a term, such as `starts(with: "x")`.
    @_disfavoredOverload
    public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> Condition<Root> {
        refused()
    }
}

/// A name that no field has.
///
/// The tokens of a record take it as an unavailable member, so that a misspelt field has a type, wherever it stands in a condition.
///
/// The name is not hashable, so no key path leads through it: the compiler would report an unavailable member inside a key path
/// without a place. It refuses a key path that a program writes, and shows the name of this type.
public struct _NoFieldOfThisName: ExpressibleByStringLiteral {
    /// Any name.
    public init(stringLiteral value: String) {}
}

/// The value of a field that does not exist.
///
/// It is compared with any literal and calculated with, so that the name is all that the compiler reports.
public struct _NoSuchValue: IndexableValue, Comparable, NumberFieldValue, TextFieldValue {
    /// The result of a calculation.
    public typealias Summand = Int

    /// No field has this type.
    public static var fieldType: FieldType { refused() }

    /// Refuses bytes.
    public init(from bytes: RawSpan) throws(CodecError) { throw CodecError("the field does not exist") }

    /// There is no value.
    public func encode(to writer: inout ByteWriter) throws(CodecError) {}

    /// There is no value.
    public func encodeKey(to writer: inout ByteWriter) {}

    /// There is no value.
    public static func < (left: _NoSuchValue, right: _NoSuchValue) -> Bool { false }
}

extension _NoSuchValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Takes the literal.
    public init(integerLiteral value: Int) {}

    /// Takes the literal.
    public init(floatLiteral value: Double) {}

    /// Takes the literal.
    public init(stringLiteral value: String) {}

    /// Takes the literal.
    public init(booleanLiteral value: Bool) {}

    /// Takes the literal.
    public init(nilLiteral: ()) {}
}
