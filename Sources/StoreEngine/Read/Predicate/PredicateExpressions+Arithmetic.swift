import Foundation

// Translating the calculations in predicates.
extension PredicateExpressions.Arithmetic: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let sign: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw PredicateRefusal("an unknown arithmetic operator")
            }
        return try translator.calculation(lhs, sign, rhs)
    }
}

extension PredicateExpressions.IntDivision: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.calculation(lhs, .divide, rhs)
    }
}

extension PredicateExpressions.IntRemainder: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.calculation(lhs, .remainder, rhs)
    }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.calculation(lhs, .divide, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.term(wrapped).map { part throws(PredicateRefusal) in
            switch part {
            // The minus of a constant is a constant.
            case .value(.int(let value)) where value > .min: .value(.int(-value))
            case .value(.double(let value)): .value(.double(-value))
            case .value(.float(let value)): .value(.float(-value))
            case .value(.decimal(let value)): .value(.decimal(-value))
            // Multiplying by -1 keeps the sign of zero: the minus of 0.0 is -0.0, while 0 minus 0.0 is 0.0.
            default: .calculation(.operation(.value(.int(-1)), .multiply, try part.number()))
            }
        }
    }
}

extension PredicateTranslator {
    fileprivate mutating func calculation(
        _ left: Any, _ sign: ArithmeticOperator, _ right: Any
    ) throws(PredicateRefusal) -> PredicateTerm {
        try term(left).combined(with: term(right)) { left, right throws(PredicateRefusal) in
            try PredicatePart.calculation(left, sign, right)
        }
    }
}
