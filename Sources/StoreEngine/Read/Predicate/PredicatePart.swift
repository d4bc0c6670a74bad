import Foundation

/// What a part of a predicate stands for, where it stands for the same in each record.
indirect enum PredicatePart {
    case condition(ConditionNode)
    /// A field, or of no name the record or the element that the condition is about.
    case field(FieldName)
    case value(DynamicValue)
    /// What lies between two parts; nil where the range has no such end.
    case range(lower: PredicatePart?, upper: PredicatePart?, isClosed: Bool)
    case calculation(ArithmeticNode)
    /// The number of elements of a field.
    case count(FieldName)
    /// The elements of a field that meet a condition.
    case filtered(FieldName, ConditionNode)
    /// The number of these elements.
    case filteredCount(FieldName, ConditionNode)
    /// The greatest or the least element of a field that has elements.
    case extreme(FieldName, isGreatest: Bool)
}

extension PredicatePart {
    /// The condition that it is.
    func condition() throws(PredicateRefusal) -> ConditionNode {
        switch self {
        case .condition(let node): node
        case .field(let name): .comparison(name, .equal, .bool(true))
        case .value(.bool(let value)): .constant(value)
        default: throw PredicateRefusal("a term that gives no condition here")
        }
    }

    /// The number to calculate with that it is.
    func number() throws(PredicateRefusal) -> ArithmeticNode {
        switch self {
        case .calculation(let node): node
        case .field(let name): .field(name)
        case .value(let value): .value(value)
        case .count, .filteredCount:
            throw PredicateRefusal("a count that is compared with a field or calculated with")
        case .condition, .range, .filtered, .extreme: throw PredicateRefusal("a comparison of such terms")
        }
    }

    /// Whether it has no elements.
    ///
    /// - Parameter type: the type of what it stands for.
    func isEmpty(_ type: Any.Type) throws(PredicateRefusal) -> ConditionNode {
        switch self {
        case .field(let name):
            // Comparisons are looked up in indexes.
            switch type {
            case is String.Type: return .comparison(name, .equal, .string(""))
            case is [UInt8].Type, is Data.Type: return .comparison(name, .equal, .data([]))
            default: return .size(name, .equal, 0)
            }
        case .filtered(let name, let condition): return .not(.elements(name, .any, condition))
        case .value(let value):
            guard let size = value.size else { throw PredicateRefusal("isEmpty of such a value") }
            return .constant(size == 0)
        default: throw PredicateRefusal("isEmpty of something that is no field of the record")
        }
    }

    /// How many elements it has.
    func count() throws(PredicateRefusal) -> PredicatePart {
        switch self {
        case .field(let name): return .count(name)
        case .filtered(let name, let condition): return .filteredCount(name, condition)
        case .value(let value):
            guard let size = value.size else { throw PredicateRefusal("count of such a value") }
            return .value(.int(Int64(size)))
        default: throw PredicateRefusal("count of something that is no field of the record")
        }
    }

    /// Two numbers put together.
    static func calculation(
        _ left: PredicatePart, _ sign: ArithmeticOperator, _ right: PredicatePart
    ) throws(PredicateRefusal) -> PredicatePart {
        if case .value(let left) = left, case .value(let right) = right {
            return .value(try constant(left, sign, right))
        }
        return .calculation(.operation(try left.number(), sign, try right.number()))
    }

    /// A calculation of constants. A division by zero, where evaluating the predicate throws, gives none.
    private static func constant(
        _ left: DynamicValue, _ sign: ArithmeticOperator, _ right: DynamicValue
    ) throws(PredicateRefusal) -> DynamicValue {
        switch (left, right) {
        case (.none, _), (_, .none): return .none
        case (.int(let left), .int(let right)): return try whole(left, sign, right).map(DynamicValue.int) ?? .none
        case (.uint(let left), .uint(let right)): return try whole(left, sign, right).map(DynamicValue.uint) ?? .none
        case (.double(let left), .double(let right)): return .double(floating(left, sign, right))
        case (.float(let left), .float(let right)): return .float(floating(left, sign, right))
        case (.decimal(let left), .decimal(let right)):
            switch sign {
            case .add: return .decimal(left + right)
            case .subtract: return .decimal(left - right)
            case .multiply: return .decimal(left * right)
            case .divide, .remainder: break
            }
        default: break
        }
        throw PredicateRefusal("a calculation of constants that are no numbers of one type")
    }

    private static func whole<N: FixedWidthInteger>(
        _ left: N, _ sign: ArithmeticOperator, _ right: N
    ) throws(PredicateRefusal) -> N? {
        if right == 0, sign == .divide || sign == .remainder { return nil }
        let (value, hasOverflown) =
            switch sign {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .remainder: left.remainderReportingOverflow(dividingBy: right)
            }
        guard !hasOverflown else { throw PredicateRefusal("a calculation of constants that overflows") }
        return value
    }

    private static func floating<N: FloatingPoint>(_ left: N, _ sign: ArithmeticOperator, _ right: N) -> N {
        switch sign {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .remainder: left.truncatingRemainder(dividingBy: right)
        }
    }
}

extension DynamicValue {
    /// How many elements, characters or bytes it has; nil for other values.
    fileprivate var size: Int? {
        switch self {
        case .list(let values): values.count
        case .pairs(let pairs): pairs.count
        case .string(let text): text.count
        case .data(let bytes): bytes.count
        default: nil
        }
    }
}
