/// A calculation on numbers of a record, as a tree.
///
/// Integers of all widths are calculated in 128 bits. Where a `Double` takes part, or a `Float` and an integer field, all is
/// calculated in `Double`; in `Float` where only floats and integer values do; in `Decimal` where fields are decimals and integers,
/// whatever values are. What has no result is none: with a field that is none, past 128 bits or the range of `Decimal`, and a
/// division of integers or decimals by zero. Floating numbers follow IEEE 754.
package indirect enum ArithmeticNode: Hashable, Sendable {
    case field(FieldName)
    /// An integer, a floating number or a decimal.
    case value(DynamicValue)
    case operation(ArithmeticNode, ArithmeticOperator, ArithmeticNode)

    /// The same with other names.
    func renamed(_ name: (FieldName) -> FieldName) -> ArithmeticNode {
        switch self {
        case .field(let field): .field(name(field))
        case .value: self
        case .operation(let left, let sign, let right): .operation(left.renamed(name), sign, right.renamed(name))
        }
    }

    /// The calculation as expressions write it.
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

/// What two numbers are put together by.
package enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    /// The remainder of a division that rounds towards zero.
    case remainder = "%"

    /// How strongly it binds.
    package var rank: Int { self == .add || self == .subtract ? 0 : 1 }
}
