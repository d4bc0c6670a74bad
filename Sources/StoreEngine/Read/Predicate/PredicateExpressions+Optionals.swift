import Foundation

// Translating the optionals in predicates.
extension PredicateExpressions.OptionalFlatMap: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.term(wrapped).flatMap { part throws(PredicateRefusal) in
            if case .value(.none) = part { return .value(.none) }
            let result = try translator.with(variable.key, as: PredicateTerm(part)) {
                translator throws(PredicateRefusal) in try translator.term(transform)
            }
            guard case .field(let field) = part else { return result }
            // The inner field is already none where a struct on its path is none.
            if case .field(let inner) = result.single, inner.parts.starts(with: field.parts) { return result }
            return try PredicateTerm(if: .comparison(field, .notEqual, .none), result, else: .value(.none))
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        let other = try translator.term(rhs)
        return try translator.term(lhs).flatMap { part throws(PredicateRefusal) in
            switch part {
            case .field(let name):
                try PredicateTerm(if: .comparison(name, .notEqual, .none), .field(name), else: other)
            case .value(.none): other
            default: PredicateTerm(part)
            }
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm {
        try translator.term(inner).unwrapped()
    }
}

extension PredicateTerm {
    /// Returns the term without its nil parts. Evaluating the predicate throws for those.
    fileprivate func unwrapped() throws(PredicateRefusal) -> PredicateTerm {
        try flatMap { part throws(PredicateRefusal) in
            if case .value(.none) = part { return PredicateTerm.nothing }
            return PredicateTerm(part)
        }
    }
}
