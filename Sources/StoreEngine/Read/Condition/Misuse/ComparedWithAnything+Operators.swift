// The operators that wrong conditions resolve to: see Field+Misuse.swift.
extension _ComparedWithAnything {
    /// Refuses the comparison.
    public static func == <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    public static func != <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    public static func < <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    public static func <= <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    public static func > <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    public static func >= <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses the comparison with nil.
    public static func == (left: Self, right: _OptionalNilComparisonType) -> Condition<Root> { refused() }

    /// Refuses the comparison with nil.
    public static func != (left: Self, right: _OptionalNilComparisonType) -> Condition<Root> { refused() }
}

extension _ComparedInReverse {
    /// Refuses the comparison.
    @_disfavoredOverload
    public static func == <Other>(left: Other, right: Self) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    @_disfavoredOverload
    public static func != <Other>(left: Other, right: Self) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    @_disfavoredOverload
    public static func < <Other>(left: Other, right: Self) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    @_disfavoredOverload
    public static func <= <Other>(left: Other, right: Self) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    @_disfavoredOverload
    public static func > <Other>(left: Other, right: Self) -> Condition<Root> { refused() }

    /// Refuses the comparison.
    @_disfavoredOverload
    public static func >= <Other>(left: Other, right: Self) -> Condition<Root> { refused() }
}

extension _OrderedWithoutOrder {
    /// Refuses the order.
    @_disfavoredOverload
    public static func < (left: Self, right: Value) -> Condition<Root> { refused() }

    /// Refuses the order.
    @_disfavoredOverload
    public static func <= (left: Self, right: Value) -> Condition<Root> { refused() }

    /// Refuses the order.
    @_disfavoredOverload
    public static func > (left: Self, right: Value) -> Condition<Root> { refused() }

    /// Refuses the order.
    @_disfavoredOverload
    public static func >= (left: Self, right: Value) -> Condition<Root> { refused() }
}

extension _CalculatedWithAnything {
    /// Refuses the calculation.
    public static func + <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    @_disfavoredOverload
    public static func + <Other>(left: Other, right: Self) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    public static func - <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    @_disfavoredOverload
    public static func - <Other>(left: Other, right: Self) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    public static func * <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    @_disfavoredOverload
    public static func * <Other>(left: Other, right: Self) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    public static func / <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    @_disfavoredOverload
    public static func / <Other>(left: Other, right: Self) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    public static func % <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the calculation.
    @_disfavoredOverload
    public static func % <Other>(left: Other, right: Self) -> Calculation<Root> { refused() }
}

extension _CalculatedAsCondition {
    /// Refuses a calculation as a condition.
    @_disfavoredOverload
    public static func + <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses a calculation as a condition.
    @_disfavoredOverload
    public static func - <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses a calculation as a condition.
    @_disfavoredOverload
    public static func * <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses a calculation as a condition.
    @_disfavoredOverload
    public static func / <Other>(left: Self, right: Other) -> Condition<Root> { refused() }

    /// Refuses a calculation as a condition.
    @_disfavoredOverload
    public static func % <Other>(left: Self, right: Other) -> Condition<Root> { refused() }
}

extension _CombinedByBits {
    /// Refuses the operator.
    @_disfavoredOverload
    public static func & <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the operator.
    @_disfavoredOverload
    public static func | <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the operator.
    @_disfavoredOverload
    public static func ^ <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the operator.
    @_disfavoredOverload
    public static func << <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }

    /// Refuses the operator.
    @_disfavoredOverload
    public static func >> <Other>(left: Self, right: Other) -> Calculation<Root> { refused() }
}

extension _Negated {
    /// Refuses the sign.
    public static prefix func - (operand: Self) -> Calculation<Root> { refused() }
}

extension _UsedAsCondition {
    /// Refuses a field as a condition.
    public static prefix func ! (operand: Self) -> Condition<Root> { refused() }
}

extension _AskedForAnything {
    /// Refuses an element of another type.
    @_disfavoredOverload
    public func contains<Other>(_ element: Other) -> Condition<Root> { refused() }

    /// Refuses a prefix that is not a text.
    @_disfavoredOverload
    public func hasPrefix<Other>(_ text: Other) -> Condition<Root> { refused() }

    /// Refuses a suffix that is not a text.
    @_disfavoredOverload
    public func hasSuffix<Other>(_ text: Other) -> Condition<Root> { refused() }
}

extension Sequence {
    /// Refuses a field as an element.
    @_disfavoredOverload
    public func contains<Sought: _SoughtInValues>(_ field: Sought) -> Condition<Sought.Root> { refused() }
}

extension Double {
    /// Refuses to convert a token.
    @_disfavoredOverload
    public init(_ field: some _Converted) { self = refused() }
}

extension Int {
    /// Refuses to convert a token.
    @_disfavoredOverload
    public init(_ field: some _Converted) { self = refused() }
}
