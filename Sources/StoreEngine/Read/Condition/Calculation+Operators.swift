// Operators that combine and compare the numbers of a record. There are few overloads, because each additional one costs the type
// checker time in every condition.
extension CalculationOperand {
    /// Adds two numbers of a record.
    public static func + (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .add, right.calculation) }

    /// Adds a value to a number of a record.
    public static func + (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .add, Calculation(right))
    }

    /// Adds a number of a record to a value.
    public static func + (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .add, right.calculation)
    }

    /// Subtracts a number of a record from another.
    public static func - (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .subtract, right.calculation) }

    /// Subtracts a value from a number of a record.
    public static func - (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .subtract, Calculation(right))
    }

    /// Subtracts a number of a record from a value.
    public static func - (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .subtract, right.calculation)
    }

    /// Multiplies two numbers of a record.
    public static func * (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .multiply, right.calculation) }

    /// Multiplies a number of a record by a value.
    public static func * (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .multiply, Calculation(right))
    }

    /// Multiplies a value by a number of a record.
    public static func * (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .multiply, right.calculation)
    }

    /// Divides a number of a record by another.
    public static func / (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .divide, right.calculation) }

    /// Divides a number of a record by a value.
    public static func / (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .divide, Calculation(right))
    }

    /// Divides a value by a number of a record.
    public static func / (left: some NumberValue, right: Self) -> Calculation<Root> {
        Calculation(Calculation(left), .divide, right.calculation)
    }

    /// Returns the remainder of dividing a number of a record by another. It has the sign of the dividend.
    public static func % (
        left: Self, right: some CalculationOperand<Root>
    ) -> Calculation<Root> { Calculation(left.calculation, .remainder, right.calculation) }

    /// Returns the remainder of dividing a number of a record by a value. It has the sign of the dividend.
    public static func % (left: Self, right: some NumberValue) -> Calculation<Root> {
        Calculation(left.calculation, .remainder, Calculation(right))
    }

    /// Returns the remainder of dividing a value by a number of a record. It has the sign of the dividend.
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
