// Equality of fields. An optional field compares as any other field does: `$0.note == nil`.
extension Field where Value: IndexableValue {
    /// Whether the field has this value.
    @inlinable
    public static func == (field: Self, value: Value) -> Condition<Root> { Condition(field.name, .equal, value) }

    /// Whether the field has another value; true where it is nil and `value` is not.
    public static func != (field: Self, value: Value) -> Condition<Root> { field.compared(.notEqual, value) }

    /// Whether two fields have equal values.
    public static func == (field: Self, other: Self) -> Condition<Root> { field.compared(.equal, other) }

    /// Whether two fields have different values.
    public static func != (field: Self, other: Self) -> Condition<Root> { field.compared(.notEqual, other) }

    /// Whether the field has one of these values.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> { member(of: Array(values)) }
}

// Equality by raw value, for enums that do not conform to ``FieldValue``.
extension Field where Value: RawRepresentable, Value.RawValue: IndexableValue {
    /// Whether the field has this value.
    @_disfavoredOverload
    public static func == (field: Self, value: Value) -> Condition<Root> { field.compared(.equal, value.rawValue) }

    /// Whether the field has another value.
    @_disfavoredOverload
    public static func != (field: Self, value: Value) -> Condition<Root> { field.compared(.notEqual, value.rawValue) }

    /// Whether two fields have equal values.
    @_disfavoredOverload
    public static func == (field: Self, other: Self) -> Condition<Root> { field.compared(.equal, other) }

    /// Whether two fields have different values.
    @_disfavoredOverload
    public static func != (field: Self, other: Self) -> Condition<Root> { field.compared(.notEqual, other) }

    /// Whether the field has one of these values.
    @_disfavoredOverload
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> { member(of: values.map(\.rawValue)) }
}

extension Field {
    /// Whether the field has this value; where `value` is nil, whether the field is nil.
    @_disfavoredOverload
    public static func == <V: RawRepresentable>(field: Self, value: V?) -> Condition<Root>
    where Value == V?, V.RawValue: IndexableValue {
        field.compared(.equal, value?.rawValue)
    }

    /// Whether the field has another value.
    @_disfavoredOverload
    public static func != <V: RawRepresentable>(field: Self, value: V?) -> Condition<Root>
    where Value == V?, V.RawValue: IndexableValue {
        field.compared(.notEqual, value?.rawValue)
    }

    /// Whether the field has one of these values.
    @_disfavoredOverload
    public func `in`<V: RawRepresentable>(_ values: some Sequence<V>) -> Condition<Root>
    where Value == V?, V.RawValue: IndexableValue {
        member(of: values.map { Optional($0.rawValue) })
    }
}

// Equality with nil only, for optionals of types without an order: structs, arrays, dictionaries, fields kept as JSON and the
// like.
extension Field where Value: ExpressibleByNilLiteral {
    /// Whether the field is nil.
    @_disfavoredOverload
    public static func == (field: Self, none: _OptionalNilComparisonType) -> Condition<Root> {
        Condition(.comparison(FieldName(field.name), .equal, .none))
    }

    /// Whether the field has a value.
    @_disfavoredOverload
    public static func != (field: Self, none: _OptionalNilComparisonType) -> Condition<Root> {
        Condition(.comparison(FieldName(field.name), .notEqual, .none))
    }
}
