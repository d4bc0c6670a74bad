/// Numbers of a record put together by `+`, `-`, `*`, `/` and `%`, to be compared:
///
/// ```swift
/// Mount.where { $0.used * 100 > $0.total * 90 }
/// ```
///
/// Integers of all widths are calculated in 128 bits, so that products of two fields do not overflow; `/` rounds towards
/// zero. Where a `Double` takes part all is calculated in `Double`, in `Float` where only floats and integer values do, by
/// IEEE 754. Decimals are calculated with in `Decimal`, with 38 digits, also with values such as `2.5`; in `Double` with fields that
/// are floating numbers. What has no result is nil: with a field that is nil, past 128 bits or the range of `Decimal`, and a division
/// of integers or decimals by zero. As with fields, nil is neither less nor greater than anything.
///
/// It has no type of number: were numbers told apart here, one mistake in a condition could keep the type checker busy for
/// many seconds.
public struct Calculation<Root>: Hashable, Sendable {
    let node: ArithmeticNode
    /// What is wrong with it.
    private let mistake: ConditionMistake?
    /// How many levels deep ``node`` nests.
    private let depth: Int
}

/// A number that stands in a record, or is calculated from some: a ``Field`` or a ``Calculation``.
public protocol CalculationOperand<Root>: Sendable {
    /// The record.
    associatedtype Root

    /// The operand as a calculation.
    var calculation: Calculation<Root> { get }
}

extension Calculation: CalculationOperand {
    /// Itself.
    public var calculation: Calculation { self }

    /// A number that is the same for all records.
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
    /// The field, to be calculated with.
    public var calculation: Calculation<Root> {
        Calculation(field: name)
    }
}
