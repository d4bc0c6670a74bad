import Foundation

// Equality and order. In Swift NaN equals nothing and is neither less nor greater; in a store it equals itself and comes
// last, so that where it could make a difference it is ruled out.
extension PredicateExpressions.Equal: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(try PredicateEquality(LHS.Output.self).condition(translator.term(lhs), translator.term(rhs)))
    }
}

extension PredicateExpressions.NotEqual: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let equal = try PredicateEquality(LHS.Output.self).condition(translator.term(lhs), translator.term(rhs))
        if case .comparison(let name, .equal, let value) = equal {
            return .condition(.comparison(name, .notEqual, value))
        }
        return .condition(.not(equal))
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
            @unknown default: throw PredicateRefusal("a comparison of a kind that is not known")
            }
        let order = PredicateOrder(LHS.Output.self)
        return .condition(try order.condition(translator.term(lhs), comparison, translator.term(rhs)))
    }
}

/// Equality of two terms.
struct PredicateEquality {
    private let order: PredicateOrder

    init(_ type: Any.Type) { order = PredicateOrder(type) }

    func condition(_ left: PredicateTerm, _ right: PredicateTerm) throws(PredicateRefusal) -> ConditionNode {
        switch (left, right) {
        case (.value(let value), _) where value.isNaN, (_, .value(let value)) where value.isNaN: return .constant(false)
        case (.value(let left), .value(let right)): return .constant(left == right)
        case (.value, _): return try condition(right, left)
        case (.field(let name), .value(let value)): return .comparison(name, .equal, value)
        case (.coalesced(let name, let other), .value(let value)):
            let isSame = ConditionNode.comparison(name, .equal, value)
            return other == value ? .or([isSame, .comparison(name, .equal, .none)]) : isSame
        case (.condition(let condition), .value(.bool(let value))): return value ? condition : .not(condition)
        case (.optionalCondition(let condition, let present), .value(let value)):
            switch value {
            case .bool(let value): return .and([present, value ? condition : .not(condition)])
            default: return .not(present)
            }
        case (.condition(let condition), .field(let name)), (.field(let name), .condition(let condition)):
            // None is neither.
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

/// The order of two terms.
struct PredicateOrder {
    /// The greatest value but NaN, of a type that has one.
    private let greatest: DynamicValue?

    init(_ type: Any.Type) {
        greatest =
            switch type {
            case is Double.Type, is Double?.Type: .double(.infinity)
            case is Float.Type, is Float?.Type: .float(.infinity)
            case is Date.Type, is Date?.Type: .date(Date(timeIntervalSinceReferenceDate: .infinity))
            default: nil
            }
    }

    func condition(
        _ left: PredicateTerm, _ comparison: Comparison, _ right: PredicateTerm
    ) throws(PredicateRefusal) -> ConditionNode {
        switch (left, right) {
        case (.value(let value), _) where value.isNaN, (_, .value(let value)) where value.isNaN: return .constant(false)
        case (.value, .value): throw PredicateRefusal("a comparison of two values")
        case (.value, _): return try condition(right, comparison.mirrored, left)
        case (.field(let name), .value(let value)): return guarded(name, comparison, value)
        case (.coalesced(let name, let other), .value(let value)):
            let holds = guarded(name, comparison, value)
            return try self.holds(other, comparison, value)
                ? .or([holds, .comparison(name, .equal, .none)]) : holds
        case (.count(let name), .value(.int(let count))): return .size(name, comparison, Int(count))
        case (.coalescedCount(let name, let other), .value(.int(let count))):
            let isNone = ConditionNode.comparison(name, .equal, .none)
            let holds = ConditionNode.and([.not(isNone), .size(name, comparison, Int(count))])
            return try self.holds(.int(Int64(other)), comparison, .int(count)) ? .or([isNone, holds]) : holds
        case (.field(let name), .field(let other)):
            let holds = ConditionNode.fieldComparison(name, comparison, other)
            guard let greatest else { return holds }
            let isLess = comparison == .less || comparison == .lessOrEqual
            let number = ConditionNode.comparison(isLess ? other : name, .lessOrEqual, greatest)
            // Both nil are equal, and neither is a number.
            return comparison == .equal
                ? .and([holds, .or([number, .comparison(name, .equal, .none)])]) : .and([holds, number])
        default:
            let (first, second) = (try PredicateOrder.number(left), try PredicateOrder.number(right))
            let holds = ConditionNode.arithmetic(first, comparison, second)
            guard let greatest else { return holds }
            return .and(
                [
                    holds, .arithmetic(first, .lessOrEqual, .value(greatest)),
                    .arithmetic(second, .lessOrEqual, .value(greatest)),
                ].filter(\.namesFields))
        }
    }

    private func guarded(_ name: FieldName, _ comparison: Comparison, _ value: DynamicValue) -> ConditionNode {
        let holds = ConditionNode.comparison(name, comparison, value)
        guard let greatest, comparison == .greater || comparison == .greaterOrEqual else { return holds }
        return .and([holds, .comparison(name, .lessOrEqual, greatest)])
    }

    /// Whether a comparison of two values holds.
    private func holds(
        _ left: DynamicValue, _ comparison: Comparison, _ right: DynamicValue
    ) throws(PredicateRefusal) -> Bool {
        if left.isNaN { return false }
        let order: Int? =
            switch (left, right) {
            case (.int(let left), .int(let right)): left < right ? -1 : left > right ? 1 : 0
            case (.uint(let left), .uint(let right)): left < right ? -1 : left > right ? 1 : 0
            case (.double(let left), .double(let right)): left < right ? -1 : left > right ? 1 : 0
            case (.float(let left), .float(let right)): left < right ? -1 : left > right ? 1 : 0
            case (.date(let left), .date(let right)): left < right ? -1 : left > right ? 1 : 0
            case (.string(let left), .string(let right)): left < right ? -1 : left > right ? 1 : 0
            default: nil
            }
        guard let order else { throw PredicateRefusal("?? before a comparison of such values") }
        return comparison.holds(order)
    }

    /// A term as a number to calculate with.
    static func number(_ term: PredicateTerm) throws(PredicateRefusal) -> ArithmeticNode {
        switch term {
        case .calculation(let node): node
        case .field(let name): .field(name)
        case .value(let value): .value(value)
        case .count, .coalescedCount: throw PredicateRefusal("a count that is compared with a field or calculated with")
        case .coalesced: throw PredicateRefusal("?? in a calculation, or against a field")
        case .condition, .optionalCondition, .range: throw PredicateRefusal("a comparison of such terms")
        }
    }
}

extension ConditionNode {
    /// Whether a calculation names a field; one of values alone says nothing of a record.
    fileprivate var namesFields: Bool {
        guard case .arithmetic(let left, _, let right) = self else { return true }
        return left.namesFields || right.namesFields
    }
}

extension ArithmeticNode {
    fileprivate var namesFields: Bool {
        switch self {
        case .field: true
        case .value: false
        case .operation(let left, _, let right): left.namesFields || right.namesFields
        }
    }
}
