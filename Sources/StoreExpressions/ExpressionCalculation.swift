package import StoreEngine

/// A calculation as written, before its fields determine the types of its numbers.
package indirect enum ExpressionCalculation {
    case field(ExpressionField, Range<Int>)
    /// A number in JSON's form, `inf`, `-inf` or `nan`.
    case number(String, Range<Int>)
    /// An operation on two calculations, with its nesting depth.
    case operation(ExpressionCalculation, ArithmeticOperator, ExpressionCalculation, depth: Int)

    /// The nesting depth, including this level.
    package var depth: Int {
        if case .operation(_, _, _, let depth) = self { depth } else { 1 }
    }

    /// The fields in the calculation.
    package var fields: [ExpressionField] {
        switch self {
        case .field(let field, _): [field]
        case .number: []
        case .operation(let left, _, let right, _): left.fields + right.fields
        }
    }
}

extension ExpressionParser {
    /// Reads a sum with `+` and `-`, or a single operand.
    ///
    /// - Parameter isValue: whether a value is likely at this position, for the message about an unknown field.
    package mutating func sum(isValue: Bool = false) throws(ExpressionError) -> ExpressionOperand {
        try chain([.plus, .minus]) { parser throws(ExpressionError) in
            try parser.chain([.times, .divided, .remainder]) { parser throws(ExpressionError) in
                try parser.factor(isValue: isValue)
            }
        }
    }

    /// Reads operands with some of the given signs between them, associated to the left.
    private mutating func chain(
        _ signs: [ExpressionSign], _ operand: (inout ExpressionParser) throws(ExpressionError) -> ExpressionOperand
    ) throws(ExpressionError) -> ExpressionOperand {
        var left = try operand(&self)
        var count = 0
        while case .sign(let sign) = current.kind, signs.contains(sign), let arithmetic = sign.arithmetic {
            count += 1
            guard count <= Self.maximumDepth else {
                throw source.error(at: current.range, "a calculation has more than \(Self.maximumDepth) signs in a row")
            }
            let first = try calculation(left)
            let location = take().range
            let right = try operand(&self)
            let range = left.range.lowerBound..<right.range.upperBound
            left = ExpressionOperand(
                kind: .calculation(try operation(first, arithmetic, try calculation(right), at: location)), range: range
            )
        }
        return left
    }

    private mutating func factor(isValue: Bool) throws(ExpressionError) -> ExpressionOperand {
        let start = current.range
        if skip(.minus) {
            let factor = try nested(at: start) { parser throws(ExpressionError) in try parser.factor(isValue: isValue) }
            let negated = try operation(.number("0", start), .subtract, try calculation(factor), at: start)
            return ExpressionOperand(
                kind: .calculation(negated), range: start.lowerBound..<factor.range.upperBound)
        }
        guard skip(.open) else { return try operand(isValue: isValue) }
        let sum = try nested(at: start) { parser throws(ExpressionError) in try parser.sum(isValue: isValue) }
        guard skip(.close) else { throw expected("an operator such as + or )") }
        return ExpressionOperand(kind: sum.kind, range: start.lowerBound..<passedEnd)
    }

    /// Combines two calculations. The limits of signs in a row and of parentheses multiply, so the depth is limited too: every
    /// traversal of a calculation uses stack for each level.
    private func operation(
        _ left: ExpressionCalculation, _ sign: ArithmeticOperator, _ right: ExpressionCalculation, at range: Range<Int>
    ) throws(ExpressionError) -> ExpressionCalculation {
        let depth = max(left.depth, right.depth) + 1
        guard depth <= ConditionMistake.maximumDepth else {
            throw source.error(at: range, ConditionMistake.deepCalculation.reason)
        }
        return .operation(left, sign, right, depth: depth)
    }

    /// Returns an operand as a number for a calculation.
    private func calculation(_ operand: ExpressionOperand) throws(ExpressionError) -> ExpressionCalculation {
        switch operand.kind {
        case .calculation(let calculation): return calculation
        case .field(let field) where field.valueType.isNumber: return .field(field, operand.range)
        case .literal(.number(let text)): return .number(text, operand.range)
        case .field(let field):
            throw source.error(
                at: operand.range,
                "\(field.name.text) is \(field.type), but a calculation takes integers, float, double or decimal"
            )
        case .literal, .inverse, .size:
            throw source.error(at: operand.range, "expected a number to calculate with, found \(operand.description)")
        }
    }

    /// Returns the comparison of two operands, at least one of which is a calculation.
    package func calculate(
        _ left: ExpressionOperand, _ comparison: Comparison, _ right: ExpressionOperand
    ) throws(ExpressionError) -> ConditionNode {
        let (first, second) = (try calculation(left), try calculation(right))
        let types = Set((first.fields + second.fields).map(\.valueType))
        guard !types.isEmpty else {
            throw source.error(at: left.range, "one side of \(comparison.rawValue) must name a field")
        }
        let hasFloats = types.contains(.float) || types.contains(.double)
        let floating: FieldType =
            types == [.float] ? .float : types.contains(.decimal) && !hasFloats ? .decimal : .double
        return .arithmetic(try node(first, floating), comparison, try node(second, floating))
    }

    private func node(
        _ calculation: ExpressionCalculation, _ floating: FieldType
    ) throws(ExpressionError) -> ArithmeticNode {
        switch calculation {
        case .field(let field, _): return .field(field.name)
        case .number(let text, let range):
            let literal = ExpressionLiteral.number(text)
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }) else {
                return .value(try value(literal, at: range, as: floating, subject: "a calculation"))
            }
            guard let value = literal.value(as: .int64) ?? literal.value(as: .uint64) else {
                throw source.error(
                    at: range,
                    "an integer in a calculation must fit in 64 bits; write \(RecordText.shortened(text)).0 for a double"
                )
            }
            return .value(value)
        case .operation(let left, let sign, let right, _):
            return .operation(try node(left, floating), sign, try node(right, floating))
        }
    }
}

extension FieldType {
    /// Whether calculations accept this type.
    fileprivate var isNumber: Bool { isInteger || [.float, .double, .decimal].contains(self) }
}
