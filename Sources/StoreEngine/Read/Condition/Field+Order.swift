// The order of fields.
extension Field where Value: IndexableValue & Comparable {
    /// Whether the field is less than a value.
    public static func < (field: Self, value: Value) -> Condition<Root> { field.compared(.less, value) }

    /// Whether the field is at most a value.
    public static func <= (field: Self, value: Value) -> Condition<Root> { field.compared(.lessOrEqual, value) }

    /// Whether the field is greater than a value.
    public static func > (field: Self, value: Value) -> Condition<Root> { field.compared(.greater, value) }

    /// Whether the field is at least a value.
    public static func >= (field: Self, value: Value) -> Condition<Root> { field.compared(.greaterOrEqual, value) }

    /// Whether the field is less than another.
    public static func < (field: Self, other: Self) -> Condition<Root> { field.compared(.less, other) }

    /// Whether the field is at most another.
    public static func <= (field: Self, other: Self) -> Condition<Root> { field.compared(.lessOrEqual, other) }

    /// Whether the field is greater than another.
    public static func > (field: Self, other: Self) -> Condition<Root> { field.compared(.greater, other) }

    /// Whether the field is at least another.
    public static func >= (field: Self, other: Self) -> Condition<Root> { field.compared(.greaterOrEqual, other) }

    /// Whether the field lies in a range.
    public func `in`(_ range: ClosedRange<Value>) -> Condition<Root> {
        compared(.greaterOrEqual, range.lowerBound) && compared(.lessOrEqual, range.upperBound)
    }

    /// Whether the field lies in a range.
    public func `in`(_ range: Range<Value>) -> Condition<Root> {
        compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
    }

    /// Whether the field is at least the lower bound of a range: `$0.id.in(5...)`.
    public func `in`(_ range: PartialRangeFrom<Value>) -> Condition<Root> {
        compared(.greaterOrEqual, range.lowerBound)
    }

    /// Whether the field is at most the upper bound of a range.
    public func `in`(_ range: PartialRangeThrough<Value>) -> Condition<Root> {
        compared(.lessOrEqual, range.upperBound)
    }

    /// Whether the field is less than the upper bound of a range.
    public func `in`(_ range: PartialRangeUpTo<Value>) -> Condition<Root> { compared(.less, range.upperBound) }
}

// Optional fields: nil is neither less nor greater than a value.
extension Field {
    /// Whether the field has a value that is less than `value`.
    public static func < <V: IndexableValue & Comparable>(field: Self, value: V) -> Condition<Root>
    where Value == V? { field.compared(.less, value) }

    /// Whether the field has a value that is at most `value`.
    public static func <= <V: IndexableValue & Comparable>(field: Self, value: V) -> Condition<Root>
    where Value == V? { field.compared(.lessOrEqual, value) }

    /// Whether the field has a value that is greater than `value`.
    public static func > <V: IndexableValue & Comparable>(field: Self, value: V) -> Condition<Root>
    where Value == V? { field.compared(.greater, value) }

    /// Whether the field has a value that is at least `value`.
    public static func >= <V: IndexableValue & Comparable>(field: Self, value: V) -> Condition<Root>
    where Value == V? { field.compared(.greaterOrEqual, value) }

    /// Whether the field has a value in this range.
    public func `in`<V: IndexableValue & Comparable>(_ range: ClosedRange<V>) -> Condition<Root> where Value == V? {
        compared(.greaterOrEqual, range.lowerBound) && compared(.lessOrEqual, range.upperBound)
    }

    /// Whether the field has a value in this range.
    public func `in`<V: IndexableValue & Comparable>(_ range: Range<V>) -> Condition<Root> where Value == V? {
        compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
    }

    /// Whether the field has a value that is at least the lower bound of a range.
    public func `in`<V: IndexableValue & Comparable>(_ range: PartialRangeFrom<V>) -> Condition<Root>
    where Value == V? { compared(.greaterOrEqual, range.lowerBound) }

    /// Whether the field has a value that is at most the upper bound of a range.
    public func `in`<V: IndexableValue & Comparable>(_ range: PartialRangeThrough<V>) -> Condition<Root>
    where Value == V? { compared(.lessOrEqual, range.upperBound) }

    /// Whether the field has a value that is less than the upper bound of a range.
    public func `in`<V: IndexableValue & Comparable>(_ range: PartialRangeUpTo<V>) -> Condition<Root>
    where Value == V? { compared(.less, range.upperBound) }
}
