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
        let root = try translator.field(root, for: "a property")
        switch kind {
        case .collectionIsEmpty:
            // Comparisons are looked up in indexes.
            switch Root.Output.self {
            case is String.Type: return .condition(.comparison(root, .equal, .string("")))
            case is [UInt8].Type: return .condition(.comparison(root, .equal, .data([])))
            default: return .condition(.size(root, .equal, 0))
            }
        case .collectionCount: return .count(root)
        case .some: throw PredicateRefusal("first or last of a collection")
        case nil: break
        }
        // Data is none of the collections of which predicates tell the kind.
        let property: AnyKeyPath = keyPath
        if property == \Data.isEmpty { return .condition(.comparison(root, .equal, .data([]))) }
        if property == \Data.count { return .count(root) }
        guard let name = StoredProperty.name(keyPath) else {
            throw PredicateRefusal(
                "a property of \(Root.Output.self) that is not stored, of type \(Output.self)",
                remedy: "use stored properties")
        }
        // A reference is its id.
        if Root.Output.self is any AnyReference.Type { return .field(root) }
        return .field(FieldName(root.parts + [name]))
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
