/// A field that is asked for a field that its struct, or the record that it refers to, does not have.
public protocol _LacksField<Root> {
    associatedtype Root
}

@available(*, unavailable, message: "there is no field of this name")
extension Field: _LacksField {}

extension _LacksField {
    /// Stands for a field of a name that no field has, wherever a field can stand.
    public subscript(dynamicMember name: _NoFieldOfThisName) -> Field<Root, _NoSuchValue> { refused() }
}

/// A name that no field has.
///
/// The compiler does not report unavailable conformances inside key paths. The name is not hashable, so the compiler refuses the
/// key path and shows the name of this type.
public struct _NoFieldOfThisName: ExpressibleByStringLiteral {
    /// Any name.
    public init(stringLiteral value: String) {}
}

/// The value of a field that does not exist.
public enum _NoSuchValue: Sendable {}
