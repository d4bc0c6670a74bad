/// A calculation on numbers of a record, as a tree.
///
/// The fields and values decide how the store calculates:
///
/// - Integers only: in 128 bits.
/// - Decimals and integers: in `Decimal`. Values that are floating-point numbers become decimals where a field or another value
///   is a decimal.
/// - Floats and integer values: in `Float`.
/// - Everything else, such as a `Double`, or a `Float` and an integer field: in `Double`.
///
/// The result is none where a field is none, where it exceeds 128 bits or the range of `Decimal`, and for a division of integers
/// or decimals by zero. Floating-point numbers follow IEEE 754.
package indirect enum ArithmeticNode: Hashable, Sendable {
    case field(FieldName)
    /// An integer, a floating-point number or a decimal.
    case value(DynamicValue)
    case operation(ArithmeticNode, ArithmeticOperator, ArithmeticNode)

    /// Returns the same calculation with other field names.
    func renamed(_ name: (FieldName) -> FieldName) -> ArithmeticNode {
        switch self {
        case .field(let field): .field(name(field))
        case .value: self
        case .operation(let left, let sign, let right): .operation(left.renamed(name), sign, right.renamed(name))
        }
    }

    /// The calculation as it is written in expressions.
    package var text: String {
        switch self {
        case .field(let name): name.text
        case .value(let value): value.literal
        case .operation(let left, let sign, let right):
            "\(left.text(inside: sign, onTheRight: false)) \(sign.rawValue) \(right.text(inside: sign, onTheRight: true))"
        }
    }

    private func text(inside outer: ArithmeticOperator, onTheRight: Bool) -> String {
        guard case .operation(_, let sign, _) = self else { return text }
        let comesApart = onTheRight ? sign.rank <= outer.rank : sign.rank < outer.rank
        return comesApart ? "(" + text + ")" : text
    }
}

/// An operator that combines two numbers.
package enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    /// The remainder of a division that rounds towards zero.
    case remainder = "%"

    /// The operator's precedence: 1 binds more tightly than 0.
    package var rank: Int { self == .add || self == .subtract ? 0 : 1 }
}
