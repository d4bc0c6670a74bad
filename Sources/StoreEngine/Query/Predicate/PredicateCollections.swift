import Foundation

// Ranges, collections and texts in predicates.
extension PredicateExpressions.ClosedRange: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .range(
            ConditionNode.Bounds(
                lower: try translator.value(lower, for: "a range from"),
                upper: try translator.value(upper, for: "a range to"), isClosed: true))
    }
}

extension PredicateExpressions.Range: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .range(
            ConditionNode.Bounds(
                lower: try translator.value(lower, for: "a range from"),
                upper: try translator.value(upper, for: "a range to"), isClosed: false))
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(try translator.contains(range, element, Element.Output.self))
    }
}

extension PredicateExpressions.SequenceContains: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(try translator.contains(sequence, element, RHS.Output.self))
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let field = try translator.field(sequence, for: "contains(where:)")
        return .condition(.elements(field, .any, try translator.elements(variable.key, test)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let field = try translator.field(sequence, for: "allSatisfy")
        return .condition(.elements(field, .all, try translator.elements(variable.key, test)))
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(try translator.text(.contains, base, other, Base.Output.self))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        .condition(try translator.text(.startsWith, base, prefix, Base.Output.self))
    }
}

extension PredicateTranslator {
    /// Whether a range, a list of values or a field holds an element.
    fileprivate mutating func contains(
        _ sequence: Any, _ element: Any, _ type: Any.Type
    ) throws(PredicateRefusal) -> ConditionNode {
        let order = PredicateOrder(type)
        switch (try term(sequence), try term(element)) {
        case (.range(let range), let element):
            return .and([
                try order.condition(element, .greaterOrEqual, .value(range.lower)),
                try order.condition(element, range.isClosed ? .lessOrEqual : .less, .value(range.upper)),
            ])
        case (.value(.list(let values)), .field(let name)):
            return .membership(name, values.filter { !$0.isNaN })
        case (.value(.list(let values)), .coalesced(let name, let other)):
            let known = values.filter { !$0.isNaN }
            return .membership(name, known.contains(other) ? known + [.none] : known)
        case (.field(let name), .value(let value)): return .element(name, value)
        case (.coalesced(let name, .list(let others)), .value(let value)):
            let isThere = ConditionNode.element(name, value)
            return others.contains(value) ? .or([isThere, .comparison(name, .equal, .none)]) : isThere
        default: throw PredicateRefusal("contains between such terms")
        }
    }

    /// A test of a text for another.
    fileprivate mutating func text(
        _ test: TextTest, _ base: Any, _ other: Any, _ type: Any.Type
    ) throws(PredicateRefusal) -> ConditionNode {
        guard type is String.Type else { throw PredicateRefusal("a test of a collection for a part of it") }
        let field = try field(base, for: test == .contains ? "contains" : "starts(with:)")
        guard case .string(let text) = try value(other, for: "a test of a text for") else {
            throw PredicateRefusal("a test of a text for something else")
        }
        return .text(field, test, text, [])
    }
}
