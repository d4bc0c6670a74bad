import Foundation

/// The translation of a part of a predicate, where it is the same for every record.
indirect enum PredicatePart {
    case condition(ConditionNode)
    /// A field. An empty name is the record or the element that the condition is about.
    case field(FieldName)
    case value(DynamicValue)
    /// The values between two bounds; a bound is nil where the range is open at that end.
    case range(lower: PredicatePart?, upper: PredicatePart?, isClosed: Bool)
    case calculation(ArithmeticNode)
    /// The number of elements of a field.
    case count(FieldName)
    /// The elements of a field that meet a condition.
    case filtered(FieldName, ConditionNode)
    /// The number of elements of a field that meet a condition.
    case filteredCount(FieldName, ConditionNode)
    /// The greatest or the least element of a field that has elements.
    case extreme(FieldName, isGreatest: Bool)
}

extension PredicatePart {
    /// Returns the condition that the part represents.
    func condition() throws(PredicateRefusal) -> ConditionNode {
        switch self {
        case .condition(let node): node
        case .field(let name): .comparison(name, .equal, .bool(true))
        case .value(.bool(let value)): .constant(value)
        default: throw PredicateRefusal("a term that is not a condition")
        }
    }

    /// Returns the number that the part represents, for a calculation.
    func number() throws(PredicateRefusal) -> ArithmeticNode {
        switch self {
        case .calculation(let node): node
        case .field(let name): .field(name)
        case .value(let value): .value(value)
        case .count, .filteredCount:
            throw PredicateRefusal("a count in a comparison with a field, or in a calculation")
        case .condition, .range, .filtered, .extreme: throw PredicateRefusal("a comparison of these operands")
        }
    }

    /// Returns the condition that the part has no elements.
    ///
    /// - Parameter type: the Swift type of the part.
    func isEmpty(_ type: Any.Type) throws(PredicateRefusal) -> ConditionNode {
        switch self {
        case .field(let name):
            // Comparisons can use an index.
            switch type {
            case is String.Type: return .comparison(name, .equal, .string(""))
            case is [UInt8].Type, is Data.Type: return .comparison(name, .equal, .data([]))
            default: return .size(name, .equal, 0)
            }
        case .filtered(let name, let condition): return .not(.elements(name, .any, condition))
        case .value(let value):
            guard let size = value.size else { throw PredicateRefusal("isEmpty of a value without elements") }
            return .constant(size == 0)
        default: throw PredicateRefusal("isEmpty of a value that is not a field of the record")
        }
    }

    /// Returns the number of the part's elements.
    func count() throws(PredicateRefusal) -> PredicatePart {
        switch self {
        case .field(let name): return .count(name)
        case .filtered(let name, let condition): return .filteredCount(name, condition)
        case .value(let value):
            guard let size = value.size else { throw PredicateRefusal("count of a value without elements") }
            return .value(.int(Int64(size)))
        default: throw PredicateRefusal("count of a value that is not a field of the record")
        }
    }

    /// Combines two numbers.
    static func calculation(
        _ left: PredicatePart, _ sign: ArithmeticOperator, _ right: PredicatePart
    ) throws(PredicateRefusal) -> PredicatePart {
        if case .value(let left) = left, case .value(let right) = right {
            return .value(try constant(left, sign, right))
        }
        return .calculation(.operation(try left.number(), sign, try right.number()))
    }

    /// Calculates with constants. A division by zero gives none; evaluating the predicate would throw.
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
        throw PredicateRefusal("a calculation of constants that are not numbers of one type")
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
    /// The number of elements, characters or bytes; nil for other values.
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
