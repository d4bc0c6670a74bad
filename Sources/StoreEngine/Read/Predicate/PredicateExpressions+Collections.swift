import Foundation

// Translating the ranges and collections in predicates.
extension PredicateExpressions.ClosedRange: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.term(lower).combined(with: translator.term(upper)) {
            .range(lower: $0, upper: $1, isClosed: true)
        }
    }
}

extension PredicateExpressions.Range: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.term(lower).combined(with: translator.term(upper)) {
            .range(lower: $0, upper: $1, isClosed: false)
        }
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.contains(range, element, Element.Output.self)
    }
}

extension PredicateExpressions.SequenceContains: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        // The element is a character of a text.
        if LHS.Output.self is String.Type { return try translator.text(.contains, sequence, element, LHS.Output.self) }
        return try translator.contains(sequence, element, RHS.Output.self)
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.elements(sequence, .any, variable.key, test, LHS.Output.self)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.elements(sequence, .all, variable.key, test, LHS.Output.self)
    }
}

extension PredicateExpressions.Filter: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try PredicateTranslator.requireElements(LHS.Output.self)
        return try translator.term(sequence).map { part throws(PredicateRefusal) in
            switch part {
            case .field(let name): .filtered(name, try translator.elements(variable.key, filter))
            case .filtered(let name, let condition):
                .filtered(name, .and([condition, try translator.elements(variable.key, filter)]))
            default: throw PredicateRefusal("a filter of a value that is not a field of the record")
            }
        }
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.extreme(elements, isGreatest: true, Elements.Output.Element.self)
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.extreme(elements, isGreatest: false, Elements.Output.Element.self)
    }
}

extension PredicateTranslator {
    /// The most constants for which a test is written out one by one.
    private static let maximumConstants = 1_024

    /// Translates a test whether a range, a list of values or a field contains an element.
    fileprivate mutating func contains(
        _ sequence: Any, _ element: Any, _ type: Any.Type
    ) throws(PredicateRefusal) -> PredicateTerm {
        let (order, equality) = (PredicateOrder(type), PredicateEquality(type))
        return try term(sequence).combined(with: term(element)) { sequence, element throws(PredicateRefusal) in
            switch (sequence, element) {
            case (.range(let lower, let upper, let isClosed), let element):
                var node = ConditionNode.constant(true)
                if let lower { node = .both(node, try order.condition(element, .greaterOrEqual, lower)) }
                if let upper {
                    node = .both(node, try order.condition(element, isClosed ? .lessOrEqual : .less, upper))
                }
                return .condition(node)
            case (.value(.list(let values)), .field(let name)):
                return .condition(.membership(name, values.filter { !$0.isNaN }))
            case (.value(.list(let values)), let element):
                try Self.requireFew(values)
                let tests = try values.map { value throws(PredicateRefusal) in
                    try equality.condition(element, .value(value))
                }
                return .condition(.either(tests))
            case (.field, .value(let value)) where value.isNaN, (.filtered, .value(let value)) where value.isNaN:
                return .condition(.constant(false))
            case (.field(let name), .value(let value)): return .condition(.element(name, value))
            case (.filtered(let name, let test), .value(let value)):
                return .condition(.elements(name, .any, .and([test, .comparison(FieldName([]), .equal, value)])))
            default: throw PredicateRefusal("contains with these operands")
            }
        }
    }

    /// Translates a test whether any or all elements of a collection meet a condition.
    fileprivate mutating func elements(
        _ sequence: Any, _ number: ElementTest, _ variable: PredicateExpressions.VariableID, _ test: Any,
        _ type: Any.Type
    ) throws(PredicateRefusal) -> PredicateTerm {
        try Self.requireElements(type)
        return try term(sequence).map { part throws(PredicateRefusal) in
            switch part {
            case .field(let name): return .condition(.elements(name, number, try elements(variable, test)))
            case .filtered(let name, let filter):
                let condition = try elements(variable, test)
                return .condition(
                    .elements(
                        name, number, number == .any ? .and([filter, condition]) : .or([.not(filter), condition])))
            case .value(.list(let values)):
                try Self.requireFew(values)
                // The element may be compared with a field of the record.
                let tests = try values.map { value throws(PredicateRefusal) in
                    try with(variable, as: .value(value)) { translator throws(PredicateRefusal) in
                        try translator.condition(test)
                    }
                }
                return .condition(number == .any ? .either(tests) : tests.reduce(.constant(true)) { .both($0, $1) })
            default: throw PredicateRefusal("a test of the elements of a value that is not a field of the record")
            }
        }
    }

    /// Translates the greatest or the least element; nil where the collection is empty.
    fileprivate mutating func extreme(
        _ elements: Any, isGreatest: Bool, _ type: Any.Type
    ) throws(PredicateRefusal) -> PredicateTerm {
        // With floating-point numbers, the result depends on the position of NaN among the elements.
        guard type is any FixedWidthInteger.Type || type is String.Type else {
            throw PredicateRefusal("max or min of elements that are neither integers nor texts")
        }
        return try term(elements).flatMap { part throws(PredicateRefusal) in
            guard case .field(let name) = part else {
                throw PredicateRefusal("max or min of a value that is not a field of the record")
            }
            return try PredicateTerm(
                if: .size(name, .greater, 0), PredicateTerm(.extreme(name, isGreatest: isGreatest)),
                else: .value(.none))
        }
    }

    /// Throws for a type whose elements conditions cannot test.
    fileprivate static func requireElements(_ type: Any.Type) throws(PredicateRefusal) {
        if type is String.Type { throw PredicateRefusal("a test of the characters of a text") }
        if type is any DictionaryOfPredicate.Type { throw PredicateRefusal("a test of the pairs of a dictionary") }
    }

    private static func requireFew(_ values: [DynamicValue]) throws(PredicateRefusal) {
        guard values.count <= maximumConstants else {
            throw PredicateRefusal("a test of more than \(maximumConstants) constants")
        }
    }
}
