// The comparison of fields in the `==` that macros generate. A type that cannot be compared gets one error, at its property.

/// Compares the values of a field.
@inlinable
public func _isSame<V: Equatable>(_ left: V, _ right: V) -> Bool { left == right }

@available(
    *, unavailable,
    message: "records are compared by their fields, and this type is not Equatable: conform it to Equatable"
)
/// Rejects a field whose values cannot be compared.
@_disfavoredOverload
public func _isSame<V>(_ left: V, _ right: V) -> Bool { fatalError("unavailable") }
