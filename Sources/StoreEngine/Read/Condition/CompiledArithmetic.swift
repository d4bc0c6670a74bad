import Foundation

/// A comparison of two calculations, compiled for the records of one type.
struct CompiledArithmetic: Sendable {
    /// A calculation whose numbers are all of one kind.
    fileprivate indirect enum Term: Sendable {
        case field(FieldAccess, NumberKind)
        case integer(Int128)
        case floating(Double)
        case decimal(Decimal)
        case operation(Term, ArithmeticOperator, Term)
    }

    private enum Kind {
        case integer, float, double, decimal
    }

    private let left: Term
    private let comparison: Comparison
    private let right: Term
    private let kind: Kind

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` for a field or a value that is not a number; `tooLarge`.
    init(
        _ left: ArithmeticNode, _ comparison: Comparison, _ right: ArithmeticNode, of type: RecordType
    ) throws(StoreError) {
        var kinds: Set<NumberKind> = []
        var hasFields = false
        var values: Set<NumberKind> = []
        let terms = [
            try Self.term(left, type, &kinds, &values, &hasFields),
            try Self.term(right, type, &kinds, &values, &hasFields),
        ]
        self.comparison = comparison
        let isFloating = kinds.contains(.float) || kinds.contains(.double)
        let hasDecimals = kinds.contains(.decimal) || values.contains(.decimal)
        // A value such as 2.5 is a decimal where it is combined with decimals.
        let decimals = isFloating || !hasDecimals ? [] : terms.compactMap(\.decimal)
        if decimals.count == terms.count {
            (self.left, self.right, kind) = (decimals[0], decimals[1], .decimal)
        } else {
            kinds.formUnion(values)
            (self.left, self.right) = (terms[0], terms[1])
            kind = kinds.isSubset(of: [.signed, .unsigned]) ? .integer : kinds == [.float] ? .float : .double
        }
        guard hasFields else {
            throw StoreError(
                .invalidValue, "a calculation on \(type.name) contains no field", remedy: "compare a field")
        }
    }

    private static func term(
        _ node: ArithmeticNode, _ type: RecordType, _ kinds: inout Set<NumberKind>, _ values: inout Set<NumberKind>,
        _ hasFields: inout Bool, depth: Int = 0
    ) throws(StoreError) -> Term {
        guard depth < ConditionMistake.maximumDepth else { throw ConditionMistake.deepCalculation.error }
        switch node {
        case .field(let name):
            let access = try FieldAccess(name, of: type)
            guard let kind = NumberKind(access.type), kind.isNumber else {
                throw StoreError(
                    .invalidValue, "\(type.name).\(name), of type \(access.type), cannot be part of a calculation",
                    remedy: "use an integer, float, double or decimal field")
            }
            kinds.insert(kind)
            hasFields = true
            return .field(access, kind)
        case .value(.int(let value)): return .integer(Int128(value))
        case .value(.uint(let value)): return .integer(Int128(value))
        case .value(.float(let value)):
            values.insert(.float)
            return .floating(Double(value))
        case .value(.double(let value)):
            values.insert(.double)
            return .floating(value)
        case .value(.decimal(let value)):
            values.insert(.decimal)
            return .decimal(value)
        case .value(let value):
            throw StoreError(.invalidValue, "\(value.text) is not a number, which a calculation on \(type.name) needs")
        case .operation(let left, let sign, let right):
            return .operation(
                try term(left, type, &kinds, &values, &hasFields, depth: depth + 1), sign,
                try term(right, type, &kinds, &values, &hasFields, depth: depth + 1))
        }
    }

    /// Whether the comparison holds for the record with these fields.
    func holds(_ table: FieldTable) throws(CodecError) -> Bool {
        switch kind {
        case .integer:
            return compare(try integer(left, table), try integer(right, table)) { $0 }
        case .float, .double:
            return compare(try floating(left, table), try floating(right, table), by: \.orderedBits)
        case .decimal:
            return compare(try decimal(left, table), try decimal(right, table)) { $0 }
        }
    }

    private func compare<V, Key: Comparable>(_ left: V?, _ right: V?, by key: (V) -> Key) -> Bool {
        guard let left, let right else {
            return !comparison.isOrdering && ((left == nil && right == nil) == (comparison == .equal))
        }
        let (own, other) = (key(left), key(right))
        return comparison.holds(own < other ? -1 : own > other ? 1 : 0)
    }

    private func integer(_ term: Term, _ table: FieldTable) throws(CodecError) -> Int128? {
        switch term {
        case .integer(let value): return value
        case .floating, .decimal: return nil
        case .field(let access, let kind):
            guard let bytes = try access.bytes(table), case .integer(let value) = try kind.read(bytes) else {
                return nil
            }
            return value
        case .operation(let left, let sign, let right):
            guard let first = try integer(left, table), let second = try integer(right, table) else {
                return nil
            }
            let (value, hasOverflown) =
                switch sign {
                case .add: first.addingReportingOverflow(second)
                case .subtract: first.subtractingReportingOverflow(second)
                case .multiply: first.multipliedReportingOverflow(by: second)
                case .divide: first.dividedReportingOverflow(by: second)
                case .remainder: first.remainderReportingOverflow(dividingBy: second)
                }
            return hasOverflown ? nil : value
        }
    }

    private func floating(_ term: Term, _ table: FieldTable) throws(CodecError) -> Double? {
        switch term {
        case .integer(let value): return kind == .float ? Double(Float(value)) : Double(value)
        case .floating(let value): return value
        case .decimal(let value): return value.doubleValue
        case .field(let access, let kind):
            guard let bytes = try access.bytes(table) else { return nil }
            switch try kind.read(bytes) {
            case .integer(let value): return Double(value)
            case .floating(let value): return value
            case .decimal(let value): return value.doubleValue
            }
        case .operation(let left, let sign, let right):
            guard let first = try floating(left, table), let second = try floating(right, table) else {
                return nil
            }
            let value =
                switch sign {
                case .add: first + second
                case .subtract: first - second
                case .multiply: first * second
                case .divide: first / second
                case .remainder: first.truncatingRemainder(dividingBy: second)
                }
            // Computing one operation on two floats in `Double` and rounding once more gives the same result as computing it in
            // `Float`.
            return kind == .float ? Double(Float(value)) : value
        }
    }

    /// Returns nil where there is no result: where a field is nil, where the result is out of range, and for a division by zero.
    /// Not a number gives not a number.
    private func decimal(_ term: Term, _ table: FieldTable) throws(CodecError) -> Decimal? {
        switch term {
        case .integer, .floating: return nil
        case .decimal(let value): return value
        case .field(let access, let kind):
            guard let bytes = try access.bytes(table) else { return nil }
            switch try kind.read(bytes) {
            case .integer(let value): return Decimal(value)
            case .floating: return nil
            case .decimal(let value): return value
            }
        case .operation(let left, let sign, let right):
            guard let first = try decimal(left, table), let second = try decimal(right, table) else { return nil }
            if first.isNaN || second.isNaN { return .nan }
            let value: Decimal? =
                switch sign {
                case .add: first + second
                case .subtract: first - second
                case .multiply: first * second
                case .divide: first / second
                case .remainder: first.remainder(dividingBy: second)
                }
            return value?.isNaN == true ? nil : value
        }
    }
}

extension CompiledArithmetic.Term {
    /// The same term with all values as decimals; nil where a value cannot be a decimal.
    fileprivate var decimal: Self? {
        switch self {
        case .field, .decimal: return self
        case .integer(let value): return .decimal(Decimal(value))
        case .floating(let value):
            // Use the digits that the value prints as: `0.1` means one tenth.
            return value.isFinite ? Decimal(string: value.description).map { .decimal($0) } : nil
        case .operation(let left, let sign, let right):
            guard let left = left.decimal, let right = right.decimal else { return nil }
            return .operation(left, sign, right)
        }
    }
}
