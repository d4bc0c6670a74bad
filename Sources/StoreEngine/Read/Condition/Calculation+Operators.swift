// How numbers of a record are put together and compared.
// Few overloads: each one more is work for the type checker in every condition.
extension CalculationOperand {
    /// The sum of two numbers of a record.
    public static func + (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .add, right.calculation) }

    /// The sum of a number of a record and a value.
    public static func + (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .add, Calculation(right))
    }

    /// The sum of a value and a number of a record.
    public static func + (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .add, right.calculation)
    }

    /// The difference of two numbers of a record.
    public static func - (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .subtract, right.calculation) }

    /// The difference of a number of a record and a value.
    public static func - (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .subtract, Calculation(right))
    }

    /// The difference of a value and a number of a record.
    public static func - (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .subtract, right.calculation)
    }

    /// The product of two numbers of a record.
    public static func * (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .multiply, right.calculation) }

    /// The product of a number of a record and a value.
    public static func * (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .multiply, Calculation(right))
    }

    /// The product of a value and a number of a record.
    public static func * (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .multiply, right.calculation)
    }

    /// The quotient of two numbers of a record.
    public static func / (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .divide, right.calculation) }

    /// The quotient of a number of a record and a value.
    public static func / (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .divide, Calculation(right))
    }

    /// The quotient of a value and a number of a record.
    public static func / (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .divide, right.calculation)
    }

    /// The remainder of the division, which has the sign of the dividend of two numbers of a record.
    public static func % (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .remainder, right.calculation) }

    /// The remainder of the division, which has the sign of the dividend of a number of a record and a value.
    public static func % (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .remainder, Calculation(right))
    }

    /// The remainder of the division, which has the sign of the dividend of a value and a number of a record.
    public static func % (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .remainder, right.calculation)
    }
}

extension Calculation {
    /// Whether the result equals another number of the record.
    public static func == (left: Self, right: some CalculationOperand<Root>) -> Condition<Root> {
        left.compared(.equal, right.calculation)
    }

    /// Whether the result equals a value.
    public static func == (left: Self, right: some NumberValue) -> Condition<Root> {
        left.compared(.equal, Calculation(right))
    }

    /// Whether the result differs from another number of the record.
    public static func != (left: Self, right: some CalculationOperand<Root>) -> Condition<Root> {
        left.compared(.notEqual, right.calculation)
    }

    /// Whether the result differs from a value.
    public static func != (left: Self, right: some NumberValue) -> Condition<Root> {
        left.compared(.notEqual, Calculation(right))
    }

    /// Whether the result is less than another number of the record.
    public static func < (left: Self, right: some CalculationOperand<Root>) -> Condition<Root> {
        left.compared(.less, right.calculation)
    }

    /// Whether the result is less than a value.
    public static func < (left: Self, right: some NumberValue) -> Condition<Root> {
        left.compared(.less, Calculation(right))
    }

    /// Whether the result is at most another number of the record.
    public static func <= (left: Self, right: some CalculationOperand<Root>) -> Condition<Root> {
        left.compared(.lessOrEqual, right.calculation)
    }

    /// Whether the result is at most a value.
    public static func <= (left: Self, right: some NumberValue) -> Condition<Root> {
        left.compared(.lessOrEqual, Calculation(right))
    }

    /// Whether the result is greater than another number of the record.
    public static func > (left: Self, right: some CalculationOperand<Root>) -> Condition<Root> {
        left.compared(.greater, right.calculation)
    }

    /// Whether the result is greater than a value.
    public static func > (left: Self, right: some NumberValue) -> Condition<Root> {
        left.compared(.greater, Calculation(right))
    }

    /// Whether the result is at least another number of the record.
    public static func >= (left: Self, right: some CalculationOperand<Root>) -> Condition<Root> {
        left.compared(.greaterOrEqual, right.calculation)
    }

    /// Whether the result is at least a value.
    public static func >= (left: Self, right: some NumberValue) -> Condition<Root> {
        left.compared(.greaterOrEqual, Calculation(right))
    }
}

extension Field where Value: NumberFieldValue {
    /// Whether the field equals the result of a calculation.
    public static func == (left: Self, right: Calculation<Root>) -> Condition<Root> {
        left.calculation.compared(.equal, right)
    }

    /// Whether the field differs from the result of a calculation.
    public static func != (left: Self, right: Calculation<Root>) -> Condition<Root> {
        left.calculation.compared(.notEqual, right)
    }

    /// Whether the field is less than the result of a calculation.
    public static func < (left: Self, right: Calculation<Root>) -> Condition<Root> {
        left.calculation.compared(.less, right)
    }

    /// Whether the field is at most the result of a calculation.
    public static func <= (left: Self, right: Calculation<Root>) -> Condition<Root> {
        left.calculation.compared(.lessOrEqual, right)
    }

    /// Whether the field is greater than the result of a calculation.
    public static func > (left: Self, right: Calculation<Root>) -> Condition<Root> {
        left.calculation.compared(.greater, right)
    }

    /// Whether the field is at least the result of a calculation.
    public static func >= (left: Self, right: Calculation<Root>) -> Condition<Root> {
        left.calculation.compared(.greaterOrEqual, right)
    }
}
