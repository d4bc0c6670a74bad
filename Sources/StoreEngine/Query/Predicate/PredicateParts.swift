import Foundation

// What predicates are made of, besides comparisons.
extension PredicateExpressions.Variable: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .field(try translator.variable(key))
    }
}

extension PredicateExpressions.Value: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        if let bounds = (value as? any RangeOfPredicate)?.bounds { return .range(bounds) }
        guard let value = DynamicValue(ofPredicate: value) else {
            throw PredicateRefusal("a value of type \(Output.self)")
        }
        return .value(value)
    }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm { .value(.none) }
}

extension PredicateExpressions.KeyPath: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let term = try translator.term(root)
        switch measure {
        case .isEmpty: return .condition(try Self.isEmpty(term))
        case .count: return try Self.count(term)
        case nil: break
        }
        if kind != nil { throw PredicateRefusal("first or last of a collection") }
        guard case .field(let root) = term else {
            throw PredicateRefusal("a property of something that is no field of the record")
        }
        guard let name = StoredProperty.name(keyPath) else {
            throw PredicateRefusal(
                "a property of \(Root.Output.self) that is not stored, of type \(Output.self)",
                remedy: "use stored properties")
        }
        // A reference is its id.
        if Root.Output.self is any AnyReference.Type { return .field(root) }
        return .field(FieldName(root.parts + [name]))
    }

    /// What a property says of a collection's size.
    private enum Measure {
        case isEmpty
        case count
    }

    private var measure: Measure? {
        switch kind {
        case .collectionIsEmpty: return .isEmpty
        case .collectionCount: return .count
        default: break
        }
        // Data and dictionaries are none of the collections of which predicates tell the kind.
        let property: AnyKeyPath = keyPath
        let dictionary = Root.Output.self as? any DictionaryOfPredicate.Type
        if property == \Data.isEmpty || property == dictionary?.isEmptyPath { return .isEmpty }
        if property == \Data.count || property == dictionary?.countPath { return .count }
        return nil
    }

    private static func isEmpty(_ term: PredicateTerm) throws(PredicateRefusal) -> ConditionNode {
        switch term {
        case .field(let name):
            // Comparisons are looked up in indexes.
            switch Root.Output.self {
            case is String.Type: return .comparison(name, .equal, .string(""))
            case is [UInt8].Type, is Data.Type: return .comparison(name, .equal, .data([]))
            default: return .size(name, .equal, 0)
            }
        case .coalesced(let name, let other) where other.size != nil:
            let isEmpty = try isEmpty(.field(name))
            return other.size == 0 ? .or([isEmpty, .comparison(name, .equal, .none)]) : isEmpty
        default: throw PredicateRefusal("isEmpty of something that is no field of the record")
        }
    }

    private static func count(_ term: PredicateTerm) throws(PredicateRefusal) -> PredicateTerm {
        switch term {
        case .field(let name): return .count(name)
        case .coalesced(let name, let other):
            if let size = other.size { return .coalescedCount(name, size) }
            throw PredicateRefusal("count of such a value behind ??")
        default: throw PredicateRefusal("count of something that is no field of the record")
        }
    }
}

/// A dictionary of any type.
private protocol DictionaryOfPredicate {
    static var isEmptyPath: AnyKeyPath { get }
    static var countPath: AnyKeyPath { get }
}

extension Dictionary: DictionaryOfPredicate {
    fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
    fileprivate static var countPath: AnyKeyPath { \Self.count }
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

extension PredicateExpressions.Conjunction: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(.and([try translator.condition(lhs), try translator.condition(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(.or([try translator.condition(lhs), try translator.condition(rhs)]))
    }
}

extension PredicateExpressions.Negation: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(.not(try translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        guard Output.self is Bool.Type else { throw PredicateRefusal("?: that gives no condition") }
        let test = try translator.condition(test)
        let (yes, no) = (try translator.condition(trueBranch), try translator.condition(falseBranch))
        return .condition(.or([.and([test, yes]), .and([.not(test), no])]))
    }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let field = try translator.field(wrapped, for: "?. or if let")
        let result = try translator.with(variable.key, as: field) { translator throws(PredicateRefusal) in
            try translator.term(transform)
        }
        let present = ConditionNode.comparison(field, .notEqual, .none)
        switch result {
        case .condition(let node): return .optionalCondition(node, present: present)
        case .optionalCondition(let node, let inner): return .optionalCondition(node, present: .and([present, inner]))
        // None where a struct on the way is none, as the count of nothing is.
        case .field, .count: return result
        default: throw PredicateRefusal("?. or if let that gives neither a field, a count, nor a condition")
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        switch (try translator.term(lhs), try translator.term(rhs)) {
        case (.field(let name), .value(let value)): return .coalesced(name, value)
        case (.count(let name), .value(.int(let count))): return .coalescedCount(name, Int(count))
        case (.optionalCondition(let node, let present), let other):
            let isFallback: ConditionNode =
                if case .value(.bool(let value)) = other { .constant(value) } else { try translator.condition(rhs) }
            return .condition(.or([.and([present, node]), .and([.not(present), isFallback])]))
        default: throw PredicateRefusal("?? between such terms")
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .field(try translator.field(inner, for: "!"))
    }
}

// MARK: Numbers

extension PredicateExpressions.Arithmetic: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let sign: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw PredicateRefusal("arithmetic of a kind that is not known")
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
        let number = try PredicateOrder.number(translator.term(wrapped))
        // That of a constant is one.
        switch number {
        case .value(.int(let value)) where value > .min: return .value(.int(-value))
        case .value(.double(let value)): return .value(.double(-value))
        case .value(.float(let value)): return .value(.float(-value))
        case .value(.decimal(let value)): return .value(.decimal(-value))
        default: break
        }
        return .calculation(.operation(.value(.int(0)), .subtract, number))
    }
}

extension PredicateTranslator {
    fileprivate mutating func calculation(
        _ left: Any, _ sign: ArithmeticOperator, _ right: Any
    ) throws(PredicateRefusal) -> PredicateTerm {
        .calculation(
            .operation(try PredicateOrder.number(term(left)), sign, try PredicateOrder.number(term(right))))
    }
}
