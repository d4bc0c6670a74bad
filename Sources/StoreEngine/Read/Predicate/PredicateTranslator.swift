import Foundation

/// The reason why a predicate has no translation, and the remedy.
struct PredicateRefusal: Error {
    let reason: String
    let remedy: String
    /// The innermost operator of Foundation that has no translation; nil until it is known.
    var operatorName: String?

    init(_ reason: String, remedy: String = "rewrite the predicate, or use a closure over field tokens: where { … }") {
        self.reason = reason
        self.remedy = remedy
    }

    /// The reason, after the operator's name.
    var text: String { operatorName.map { "\($0): \(reason)" } ?? reason }
}

/// A part of a predicate that can be translated.
protocol TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm
}

/// Translates the expression of a predicate to a condition.
struct PredicateTranslator {
    /// The most levels that a predicate may nest. The translation takes stack for each level.
    private static let maximumDepth = 200

    /// The term that each variable stands for, and the number of element tests around its declaration.
    private var variables: [PredicateExpressions.VariableID: (term: PredicateTerm, level: Int)]
    private var level = 0
    private var depth = 0

    init(_ record: PredicateExpressions.VariableID) { variables = [record: (.field(FieldName([])), 0)] }

    /// Translates an expression to a condition.
    mutating func condition(_ expression: Any) throws(PredicateRefusal) -> ConditionNode {
        try term(expression).condition()
    }

    /// Translates an expression to a term.
    mutating func term(_ expression: Any) throws(PredicateRefusal) -> PredicateTerm {
        do throws(PredicateRefusal) {
            guard let part = expression as? any TranslatablePredicate else { throw Self.refusal(expression) }
            guard depth < Self.maximumDepth else {
                throw PredicateRefusal("it nests more than \(Self.maximumDepth) levels deep")
            }
            depth += 1
            defer { depth -= 1 }
            return try part.term(&self)
        } catch {
            var refusal = error
            refusal.operatorName = refusal.operatorName ?? Self.name(expression)
            throw refusal
        }
    }

    /// Returns the term that a variable stands for.
    func variable(_ id: PredicateExpressions.VariableID) throws(PredicateRefusal) -> PredicateTerm {
        guard let known = variables[id] else { throw PredicateRefusal("a variable without a declaration") }
        guard known.level == level || known.term.isConstant else {
            throw PredicateRefusal("a field of the record inside a test of elements")
        }
        return known.term
    }

    /// Translates with a variable that stands for a term.
    mutating func with<T>(
        _ id: PredicateExpressions.VariableID, as term: PredicateTerm,
        _ body: (inout PredicateTranslator) throws(PredicateRefusal) -> T
    ) throws(PredicateRefusal) -> T {
        let outer = variables.updateValue((term, level), forKey: id)
        defer { variables[id] = outer }
        return try body(&self)
    }

    /// Translates a condition on elements, in which a variable stands for the element.
    mutating func elements(
        _ id: PredicateExpressions.VariableID, _ test: Any
    ) throws(PredicateRefusal) -> ConditionNode {
        level += 1
        defer { level -= 1 }
        return try with(id, as: .field(FieldName([]))) { translator throws(PredicateRefusal) in
            try translator.condition(test)
        }
    }

    /// Returns the name of an expression's type, without its generic arguments.
    private static func name(_ expression: Any) -> String {
        let name = "\(type(of: expression))"
        return String(name.prefix { $0 != "<" })
    }

    /// Returns the reason why an operator has no translation.
    private static func refusal(_ expression: Any) -> PredicateRefusal {
        switch name(expression) {
        case "CollectionIndexSubscript", "CollectionRangeSubscript":
            PredicateRefusal("elements by index", remedy: "test the elements with contains(where:)")
        case "DictionaryKeySubscript", "DictionaryKeyDefaultValueSubscript":
            PredicateRefusal("a value of a dictionary", remedy: "store the value in its own field")
        case "StringContainsRegex":
            PredicateRefusal(
                "a regular expression", remedy: "use contains or starts(with:), or filter the fetched records")
        case "ConditionalCast", "ForceCast", "TypeCheck":
            PredicateRefusal("a test of a value's type", remedy: "use fields with their declared types")
        default: PredicateRefusal("an unknown operator")
        }
    }
}
