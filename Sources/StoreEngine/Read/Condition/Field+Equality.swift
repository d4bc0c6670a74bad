// Equality of fields. Optionals are values like others here: `$0.note == nil`.
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

// Enums that do not name ``FieldValue``, by their raw values.
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
    /// Whether the field has this value, or none where it is nil.
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

// Optionals of what has no order: structs, arrays, dictionaries, what is kept as JSON and the like are compared with nil alone.
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
