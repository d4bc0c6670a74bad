import Foundation

/// Translates the order of two parts.
struct PredicateOrder {
    /// The greatest value except NaN, for a type that has NaN; nil for other types.
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
        _ left: PredicatePart, _ comparison: Comparison, _ right: PredicatePart
    ) throws(PredicateRefusal) -> ConditionNode {
        switch (left, right) {
        case (.value(let value), _) where value.isNaN, (_, .value(let value)) where value.isNaN: return .constant(false)
        case (.value(let left), .value(let right)): return .constant(try holds(left, comparison, right))
        case (.value, _): return try condition(right, comparison.mirrored, left)
        case (.field(let name), .value(let value)): return guarded(name, comparison, value)
        case (.count(let name), .value(.int(let count))): return .size(name, comparison, Int(count))
        case (.filteredCount(let name, let test), .value(.int(let count))):
            return try condition(.elements(name, .any, test), comparison, count)
        case (.extreme(let name, let isGreatest), .value(let value)):
            return condition(name, isGreatest, comparison, value)
        case (.field(let name), .field(let other)):
            let holds = ConditionNode.fieldComparison(name, comparison, other)
            guard let greatest else { return holds }
            let isLess = comparison == .less || comparison == .lessOrEqual
            let number = ConditionNode.comparison(isLess ? other : name, .lessOrEqual, greatest)
            // Two nil values are equal, and neither of them is a number.
            return comparison == .equal
                ? .and([holds, .or([number, .comparison(name, .equal, .none)])]) : .and([holds, number])
        default:
            let (first, second) = (try left.number(), try right.number())
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

    /// Translates a comparison of the number of matching elements. A condition can only express whether there are any.
    private func condition(
        _ isAny: ConditionNode, _ comparison: Comparison, _ count: Int64
    ) throws(PredicateRefusal) -> ConditionNode {
        func holds(_ number: Int64) -> Bool { comparison.holds(number < count ? -1 : number > count ? 1 : 0) }
        guard holds(1) == holds(.max), !(comparison == .equal || comparison == .notEqual) || count < 1 else {
            throw PredicateRefusal(
                "the number of elements that meet a condition",
                remedy: "test only whether there are any: > 0, or isEmpty")
        }
        if holds(0) == holds(1) { return .constant(holds(0)) }
        return holds(1) ? isAny : .not(isAny)
    }

    /// Translates a comparison with the greatest or the least element of a field, which has elements.
    private func condition(
        _ name: FieldName, _ isGreatest: Bool, _ comparison: Comparison, _ value: DynamicValue
    ) -> ConditionNode {
        func elements(_ test: ElementTest, _ comparison: Comparison) -> ConditionNode {
            .elements(name, test, .comparison(FieldName([]), comparison, value))
        }
        switch comparison {
        case .equal: return .and([elements(.any, .equal), elements(.all, isGreatest ? .lessOrEqual : .greaterOrEqual)])
        case .notEqual: return .not(condition(name, isGreatest, .equal, value))
        case .less, .lessOrEqual: return elements(isGreatest ? .all : .any, comparison)
        case .greater, .greaterOrEqual: return elements(isGreatest ? .any : .all, comparison)
        }
    }

    /// Whether a comparison of two values holds.
    private func holds(
        _ left: DynamicValue, _ comparison: Comparison, _ right: DynamicValue
    ) throws(PredicateRefusal) -> Bool {
        func order<V: Comparable>(_ left: V, _ right: V) -> Int { left < right ? -1 : left > right ? 1 : 0 }
        let order: Int? =
            switch (left, right) {
            case (.int(let left), .int(let right)): order(left, right)
            case (.uint(let left), .uint(let right)): order(left, right)
            case (.double(let left), .double(let right)): order(left, right)
            case (.float(let left), .float(let right)): order(left, right)
            case (.decimal(let left), .decimal(let right)): order(left, right)
            case (.date(let left), .date(let right)): order(left, right)
            case (.string(let left), .string(let right)):
                // Fields are also compared by Unicode scalars.
                left.utf8.lexicographicallyPrecedes(right.utf8)
                    ? -1 : right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
            // A calculation of constants had no result.
            case (.none, _), (_, .none): nil
            default: throw PredicateRefusal("a comparison of values of these types")
            }
        return order.map { comparison.holds($0) } ?? false
    }
}

extension ConditionNode {
    /// Whether a calculation names a field. A calculation of constants says nothing about a record.
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
