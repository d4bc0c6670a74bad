/// A calculation on numbers of a record, made with `+`, `-`, `*`, `/` and `%`. Compare it to make a condition:
///
/// ```swift
/// Mount.where { $0.used * 100 > $0.total * 90 }
/// ```
///
/// The fields and values decide how the store calculates:
///
/// - Integers only: in 128 bits, so that products of two fields do not overflow. `/` rounds towards zero.
/// - Decimals and integers: in `Decimal`, with 38 digits, also with values such as `2.5`.
/// - Floats and integer values: in `Float`, by IEEE 754.
/// - Everything else, such as a `Double`, or decimals and a floating-point field: in `Double`, by IEEE 754.
///
/// ## Calculations without a result
///
/// The result is nil where a field is nil, where it exceeds 128 bits or the range of `Decimal`, and for a division of integers or
/// decimals by zero. As with fields, nil is neither less nor greater than any value.
///
/// - Note: The type does not say which kind of number it holds. If it did, one mistake in a condition could keep the type checker
///   busy for many seconds.
public struct Calculation<Root>: Hashable, Sendable {
    let node: ArithmeticNode
    /// The mistake that makes the calculation invalid; nil where there is none.
    private let mistake: ConditionMistake?
    /// The number of levels that ``node`` nests.
    private let depth: Int
}

/// A number of a record, or a calculation on such numbers: a ``Field`` or a ``Calculation``.
public protocol CalculationOperand<Root>: Sendable {
    /// The record.
    associatedtype Root

    /// The operand as a calculation.
    var calculation: Calculation<Root> { get }
}

extension Calculation: CalculationOperand {
    /// The calculation itself.
    public var calculation: Calculation { self }

    /// Creates a calculation whose result is the same for all records.
    init(_ value: some NumberValue) {
        do {
            let bytes = try value.encoded()
            let dynamic = unsafe try DynamicValue(from: bytes.span.bytes, as: type(of: value).fieldType)
            self.init(node: .value(dynamic), mistake: nil, depth: 1)
        } catch {
            self.init(mistake: ConditionMistake(value: error.reason))
        }
    }

    init(field name: String) { self.init(node: .field(FieldName(name)), mistake: nil, depth: 1) }

    private init(mistake: ConditionMistake) { self.init(node: .value(.none), mistake: mistake, depth: 1) }

    init(_ left: Calculation, _ sign: ArithmeticOperator, _ right: Calculation) {
        let depth = Swift.max(left.depth, right.depth) + 1
        if let mistake = left.mistake ?? right.mistake {
            self.init(mistake: mistake)
        } else if depth > ConditionMistake.maximumDepth {
            self.init(mistake: .deepCalculation)
        } else {
            self.init(node: .operation(left.node, sign, right.node), mistake: nil, depth: depth)
        }
    }

    func compared(_ comparison: Comparison, _ other: Calculation) -> Condition<Root> {
        if let mistake = mistake ?? other.mistake { return Condition(.invalid(mistake)) }
        return Condition(.arithmetic(node, comparison, other.node))
    }
}

extension Field: CalculationOperand where Value: NumberFieldValue {
    /// The field as a calculation.
    public var calculation: Calculation<Root> {
        Calculation(field: name)
    }
}
