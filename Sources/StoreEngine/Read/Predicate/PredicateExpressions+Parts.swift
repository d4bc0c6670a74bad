import Foundation

// Translating the other parts of predicates: variables, values, key paths and logic.
extension PredicateExpressions.Variable: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.variable(key)
    }
}

extension PredicateExpressions.Value: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try PredicateTerm(constant: value, Output.self)
    }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm { .value(.none) }
}

extension PredicateExpressions.KeyPath: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        if let constant { return try PredicateTerm(constant: constant, Output.self) }
        let term = try translator.term(root)
        switch measure {
        case .isEmpty:
            return try term.map { part throws(PredicateRefusal) in .condition(try part.isEmpty(Root.Output.self)) }
        case .count: return try term.map { part throws(PredicateRefusal) in try part.count() }
        case nil: break
        }
        if kind != nil { throw PredicateRefusal("first or last of a collection") }
        return try term.map { part throws(PredicateRefusal) in
            guard case .field(let root) = part else {
                throw PredicateRefusal("a property of a value that is not a field of the record")
            }
            guard let name = StoredProperty.name(keyPath) else {
                throw PredicateRefusal(
                    "a property of \(Root.Output.self), of type \(Output.self), that is not stored",
                    remedy: "use stored properties")
            }
            // A reference is stored as its id.
            if Root.Output.self is any AnyReference.Type { return .field(root) }
            return .field(FieldName(root.parts + [name]))
        }
    }

    /// A property that describes the size of a collection.
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
        // Predicates give no kind for properties of data and dictionaries, so compare the key paths.
        let property: AnyKeyPath = keyPath
        let dictionary = Root.Output.self as? any DictionaryOfPredicate.Type
        if property == \Data.isEmpty || property == dictionary?.isEmptyPath { return .isEmpty }
        if property == \Data.count || property == dictionary?.countPath { return .count }
        return nil
    }
}

/// A part of a predicate that may be the same for all records: a value, or a property of a value.
private protocol ConstantOfPredicate {
    var constant: Any? { get }
}

extension PredicateExpressions.Value: ConstantOfPredicate {
    fileprivate var constant: Any? { value }
}

extension PredicateExpressions.KeyPath: ConstantOfPredicate {
    fileprivate var constant: Any? {
        let root = (root as? any ConstantOfPredicate)?.constant as? Root.Output
        return root.map { $0[keyPath: keyPath] }
    }
}

/// A dictionary of any type.
protocol DictionaryOfPredicate {
    static var isEmptyPath: AnyKeyPath { get }
    static var countPath: AnyKeyPath { get }
}

extension Dictionary: DictionaryOfPredicate {
    static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
    static var countPath: AnyKeyPath { \Self.count }
}

extension PredicateTerm {
    /// Creates a term from a value in a predicate.
    fileprivate init(constant value: Any, _ type: Any.Type) throws(PredicateRefusal) {
        if let range = (value as? any RangeOfPredicate)?.range {
            self.init(range)
        } else if let value = DynamicValue(ofPredicate: value) {
            self.init(.value(value))
        } else {
            throw PredicateRefusal("a value of type \(type)")
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
        try PredicateTerm(
            if: translator.condition(test), translator.term(trueBranch), else: translator.term(falseBranch))
    }
}
