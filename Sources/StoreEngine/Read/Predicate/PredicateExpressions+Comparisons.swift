import Foundation

// Equality and order. In Swift, NaN equals nothing and is neither less nor greater than any number. In a store, NaN equals itself
// and comes last. The translation therefore excludes NaN where the difference could matter.
extension PredicateExpressions.Equal: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.equal(lhs, rhs, LHS.Output.self)
    }
}

extension PredicateExpressions.NotEqual: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(try translator.equal(lhs, rhs, LHS.Output.self).condition().opposite)
    }
}

extension PredicateExpressions.Comparison: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let comparison: Comparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw PredicateRefusal("an unknown comparison operator")
            }
        let order = PredicateOrder(LHS.Output.self)
        return try translator.term(lhs).combined(with: translator.term(rhs)) { left, right throws(PredicateRefusal) in
            .condition(try order.condition(left, comparison, right))
        }
    }
}

extension PredicateTranslator {
    fileprivate mutating func equal(
        _ left: Any, _ right: Any, _ type: Any.Type
    ) throws(PredicateRefusal) -> PredicateTerm {
        let equality = PredicateEquality(type)
        return try term(left).combined(with: term(right)) { left, right throws(PredicateRefusal) in
            .condition(try equality.condition(left, right))
        }
    }
}

/// Translates the equality of two parts.
struct PredicateEquality {
    private let order: PredicateOrder

    init(_ type: Any.Type) { order = PredicateOrder(type) }

    func condition(_ left: PredicatePart, _ right: PredicatePart) throws(PredicateRefusal) -> ConditionNode {
        switch (left, right) {
        case (.value(let value), _) where value.isNaN, (_, .value(let value)) where value.isNaN: return .constant(false)
        case (.value(let left), .value(let right)): return .constant(left == right)
        case (.value, _): return try condition(right, left)
        case (.field(let name), .value(.list(let values))):
            guard values.isEmpty else { throw PredicateRefusal("a comparison of two collections") }
            return .size(name, .equal, 0)
        case (.field(let name), .value(let value)): return .comparison(name, .equal, value)
        case (.condition(let condition), .value(.bool(let value))): return value ? condition : condition.opposite
        // None of these is ever nil.
        case (.condition, .value(.none)), (.count, .value(.none)), (.filteredCount, .value(.none)),
            (.extreme, .value(.none)):
            return .constant(false)
        case (.condition(let condition), .field(let name)), (.field(let name), .condition(let condition)):
            // A field that is none is neither true nor false.
            return .or([
                .and([.comparison(name, .equal, .bool(true)), condition]),
                .and([.comparison(name, .equal, .bool(false)), .not(condition)]),
            ])
        case (.condition(let left), .condition(let right)):
            return .or([.and([left, right]), .and([.not(left), .not(right)])])
        default: return try order.condition(left, .equal, right)
        }
    }
}
