// Comparisons of an optional field with a field of its wrapped type, or of two optional fields. Nil equals nil only, and is
// neither less nor greater than any value.
extension Field where Value: IndexableValue {
    /// Whether two fields have equal values. Either field may be nil.
    @_disfavoredOverload
    public static func == <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.equal, other) }

    /// Whether two fields have different values; true where exactly one of them is nil.
    @_disfavoredOverload
    public static func != <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.notEqual, other) }
}

extension Field where Value: IndexableValue, Value.Compared: Comparable {
    /// Whether both fields have a value, and the first value is less than the second.
    @_disfavoredOverload
    public static func < <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.less, other) }

    /// Whether both fields have a value, and the first value is at most the second.
    @_disfavoredOverload
    public static func <= <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.lessOrEqual, other) }

    /// Whether both fields have a value, and the first value is greater than the second.
    @_disfavoredOverload
    public static func > <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.greater, other) }

    /// Whether both fields have a value, and the first value is at least the second.
    @_disfavoredOverload
    public static func >= <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.greaterOrEqual, other) }
}
