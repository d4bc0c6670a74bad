import Foundation

// Translating the tests of texts in predicates.
extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.text(.contains, base, other, Base.Output.self)
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.text(.startsWith, base, prefix, Base.Output.self)
    }
}

extension PredicateTranslator {
    /// Translates a test of a text against another text.
    mutating func text(
        _ test: TextTest, _ base: Any, _ other: Any, _ type: Any.Type
    ) throws(PredicateRefusal) -> PredicateTerm {
        guard type is String.Type else {
            throw PredicateRefusal("a test of a collection for several elements in a row")
        }
        return try term(base).combined(with: term(other)) { base, other throws(PredicateRefusal) in
            guard case .value(.string(let text)) = other else {
                throw PredicateRefusal("a test of a text for a value that is not constant")
            }
            switch base {
            case .field(let name): return .condition(.text(name, test, text, []))
            case .value(.string(let base)): return .condition(.constant(TextMatcher(test, text, []).matches(base)))
            default:
                let name = test == .contains ? "contains" : "starts(with:)"
                throw PredicateRefusal("\(name) of a value that is not a field of the record")
            }
        }
    }
}
