import Foundation

/// Why a predicate has no translation, and what to write instead.
struct PredicateRefusal: Error {
    let reason: String
    let remedy: String

    init(_ reason: String, remedy: String = "say it in other terms, or by a closure over tokens: where { … }") {
        self.reason = reason
        self.remedy = remedy
    }
}

/// What a part of a predicate stands for.
enum PredicateTerm {
    case condition(ConditionNode)
    /// A condition that is nil unless another holds.
    case optionalCondition(ConditionNode, present: ConditionNode)
    /// A field, or of no name the record or the element that the condition is about.
    case field(FieldName)
    /// A field, or where it is nil a value.
    case coalesced(FieldName, DynamicValue)
    case value(DynamicValue)
    case range(ConditionNode.Bounds)
    case calculation(ArithmeticNode)
    /// The number of elements of a field.
    case count(FieldName)
    /// The same, or where the field is nil another number.
    case coalescedCount(FieldName, Int)
}

extension ConditionNode {
    /// A range of values.
    struct Bounds {
        var lower: DynamicValue
        var upper: DynamicValue
        var isClosed: Bool
    }
}

/// A part of a predicate that can be translated.
protocol TranslatablePredicate {
    func term(_ translator: inout PredicateTranslator) throws(PredicateRefusal) -> PredicateTerm
}

/// Turns the expression of a predicate into a condition.
struct PredicateTranslator {
    /// How deep a predicate may nest: translating one takes stack for each level.
    private static let maximumDepth = 200

    /// What the variables stand for, and how many tests of elements they are inside of.
    private var variables: [PredicateExpressions.VariableID: (field: FieldName, level: Int)]
    private var level = 0
    private var depth = 0

    init(_ record: PredicateExpressions.VariableID) { variables = [record: (FieldName([]), 0)] }

    /// The condition that an expression stands for.
    mutating func condition(_ expression: Any) throws(PredicateRefusal) -> ConditionNode {
        switch try term(expression) {
        case .condition(let node): node
        case .field(let name): .comparison(name, .equal, .bool(true))
        case .value(.bool(let value)): .constant(value)
        case .coalesced(let name, .bool(let value)):
            value
                ? .comparison(name, .notEqual, .bool(false)) : .comparison(name, .equal, .bool(true))
        default: throw PredicateRefusal("\(Self.name(expression)) gives no condition here")
        }
    }

    /// What an expression stands for.
    mutating func term(_ expression: Any) throws(PredicateRefusal) -> PredicateTerm {
        guard let part = expression as? any TranslatablePredicate else {
            throw PredicateRefusal(Self.name(expression), remedy: Self.remedy(expression))
        }
        guard depth < Self.maximumDepth else {
            throw PredicateRefusal("it nests more than \(Self.maximumDepth) levels deep")
        }
        depth += 1
        defer { depth -= 1 }
        return try part.term(&self)
    }

    /// The field that an expression stands for.
    mutating func field(_ expression: Any, for use: String) throws(PredicateRefusal) -> FieldName {
        guard case .field(let name) = try term(expression) else {
            throw PredicateRefusal("\(use) of something that is no field of the record")
        }
        return name
    }

    /// The value that an expression stands for.
    mutating func value(_ expression: Any, for use: String) throws(PredicateRefusal) -> DynamicValue {
        guard case .value(let value) = try term(expression) else {
            throw PredicateRefusal("\(use) something that differs between records")
        }
        return value
    }

    /// What a variable stands for.
    func variable(_ id: PredicateExpressions.VariableID) throws(PredicateRefusal) -> FieldName {
        guard let known = variables[id] else { throw PredicateRefusal("a variable that nothing declares") }
        guard known.level == level else {
            throw PredicateRefusal("a field of the record inside a test of elements")
        }
        return known.field
    }

    /// Translates with a variable that stands for a field.
    mutating func with<T>(
        _ id: PredicateExpressions.VariableID, as field: FieldName,
        _ body: (inout PredicateTranslator) throws(PredicateRefusal) -> T
    ) throws(PredicateRefusal) -> T {
        variables[id] = (field, level)
        defer { variables[id] = nil }
        return try body(&self)
    }

    /// The condition on elements, of which a variable stands for one.
    mutating func elements(
        _ id: PredicateExpressions.VariableID, _ test: Any
    ) throws(PredicateRefusal) -> ConditionNode {
        level += 1
        defer { level -= 1 }
        return try with(id, as: FieldName([])) { translator throws(PredicateRefusal) in
            try translator.condition(test)
        }
    }

    /// What an expression is called, without its types.
    private static func name(_ expression: Any) -> String {
        let name = "\(type(of: expression))"
        return String(name.prefix { $0 != "<" })
    }

    private static func remedy(_ expression: Any) -> String {
        switch name(expression) {
        case "StringLocalizedStandardContains":
            "write where { $0.field.contains(\"…\", [.caseInsensitive, .diacriticInsensitive]) }, which knows no locale"
        case "StringCaseInsensitiveCompare": "write where { $0.field.equals(\"…\", .caseInsensitive) }"
        case "StringLocalizedCompare": "order the request by the field, or compare it by < and >"
        case "DictionaryKeySubscript", "DictionaryKeyDefaultValueSubscript":
            "keep the value in a field of its own"
        default: PredicateRefusal("").remedy
        }
    }
}
