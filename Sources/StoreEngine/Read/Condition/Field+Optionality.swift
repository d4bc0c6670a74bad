// Comparisons of a field that may be nil with one of its type that may not, or of two that may be: nil equals nil alone, and is
// neither less nor greater than anything.
extension Field where Value: IndexableValue {
    /// Whether two fields have equal values, of which either may be nil.
    @_disfavoredOverload
    public static func == <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.equal, other) }

    /// Whether two fields have different values; true where just one of them is nil.
    @_disfavoredOverload
    public static func != <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.notEqual, other) }
}

extension Field where Value: IndexableValue, Value.Compared: Comparable {
    /// Whether both fields have a value, and the first the lesser one.
    @_disfavoredOverload
    public static func < <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.less, other) }

    /// Whether both fields have a value, and that of the first is at most that of the second.
    @_disfavoredOverload
    public static func <= <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.lessOrEqual, other) }

    /// Whether both fields have a value, and the first the greater one.
    @_disfavoredOverload
    public static func > <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.greater, other) }

    /// Whether both fields have a value, and that of the first is at least that of the second.
    @_disfavoredOverload
    public static func >= <Other: IndexableValue>(field: Self, other: Field<Root, Other>) -> Condition<Root>
    where Other.Compared == Value.Compared { field.compared(.greaterOrEqual, other) }
}
