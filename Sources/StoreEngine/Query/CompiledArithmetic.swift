/// A calculation and what it is compared with, made ready for a type's records.
struct CompiledArithmetic: Sendable {
    /// A calculation whose numbers are all of one kind.
    private indirect enum Term: Sendable {
        case field(FieldAccess, NumberKind)
        case integer(Int128)
        case floating(Double)
        case operation(Term, ArithmeticOperator, Term)
    }

    private enum Kind {
        case integer, float, double
    }

    private let left: Term
    private let comparison: Comparison
    private let right: Term
    private let kind: Kind

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` for a field or a value that is no number; `tooLarge`.
    init(
        _ left: ArithmeticNode, _ comparison: Comparison, _ right: ArithmeticNode, of type: RecordType
    ) throws(StoreError) {
        var kinds: Set<NumberKind> = []
        var hasFields = false
        self.left = try Self.term(left, type, &kinds, &hasFields)
        self.right = try Self.term(right, type, &kinds, &hasFields)
        self.comparison = comparison
        let isFloating = kinds.contains(.float) || kinds.contains(.double)
        kind = isFloating ? kinds == [.float] ? .float : .double : .integer
        guard hasFields else {
            throw StoreError(.invalidValue, "a calculation on \(type.name) names no field", remedy: "compare a field")
        }
    }

    private static func term(
        _ node: ArithmeticNode, _ type: RecordType, _ kinds: inout Set<NumberKind>, _ hasFields: inout Bool,
        depth: Int = 0
    ) throws(StoreError) -> Term {
        guard depth < ConditionMistake.maximumDepth else { throw ConditionMistake.deepCalculation.error }
        switch node {
        case .field(let name):
            let access = try FieldAccess(name, of: type)
            guard let kind = NumberKind(access.type) else {
                throw StoreError(
                    .invalidValue, "\(type.name).\(name), of type \(access.type), is not calculated with",
                    remedy: "use integers, float or double")
            }
            kinds.insert(kind)
            hasFields = true
            return .field(access, kind)
        case .value(.int(let value)): return .integer(Int128(value))
        case .value(.uint(let value)): return .integer(Int128(value))
        case .value(.float(let value)):
            kinds.insert(.float)
            return .floating(Double(value))
        case .value(.double(let value)):
            kinds.insert(.double)
            return .floating(value)
        case .value(let value):
            throw StoreError(.invalidValue, "\(value.text) is no number to calculate with on \(type.name)")
        case .operation(let left, let sign, let right):
            return .operation(
                try term(left, type, &kinds, &hasFields, depth: depth + 1), sign,
                try term(right, type, &kinds, &hasFields, depth: depth + 1))
        }
    }

    /// Whether the comparison holds for the record with these fields.
    func holds(_ table: FieldTable) throws(CodecError) -> Bool {
        switch kind {
        case .integer:
            return compare(try integer(left, table), try integer(right, table)) { $0 }
        case .float, .double:
            return compare(try floating(left, table), try floating(right, table), by: \.orderedBits)
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
        case .floating: return nil
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
        case .field(let access, let kind):
            guard let bytes = try access.bytes(table) else { return nil }
            switch try kind.read(bytes) {
            case .integer(let value): return Double(value)
            case .floating(let value): return value
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
            // One operation on two floats in double, rounded once more, is the operation on floats.
            return kind == .float ? Double(Float(value)) : value
        }
    }
}
