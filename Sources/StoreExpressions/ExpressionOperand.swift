package import StoreEngine

/// One side of a comparison, and its position.
package struct ExpressionOperand {
    package enum Kind {
        case field(ExpressionField)
        case literal(ExpressionLiteral)
        /// The records that refer to the current record.
        case inverse(ExpressionInverse)
        /// The number of elements, characters or bytes of a field, or of records that refer to the current record.
        case size(ExpressionCount)
        /// The result of a calculation.
        case calculation(ExpressionCalculation)
    }

    package let kind: Kind
    package let range: Range<Int>

    /// The text for messages.
    package var description: String {
        switch kind {
        case .field(let field): "the field \(field.name.text)"
        case .literal(let literal): literal.description
        case .inverse(let inverse): inverse.name.text
        case .size(let count): count.text
        case .calculation: "a calculation"
        }
    }
}

extension ExpressionParser {
    /// Reads a field, a value or a count.
    ///
    /// - Parameter isValue: whether a value is likely at this position, for the message about an unknown field.
    package mutating func operand(isValue: Bool = false) throws(ExpressionError) -> ExpressionOperand {
        let token = current
        if token.isWord("count"), isFollowed(by: .open) {
            let count = try count()
            return ExpressionOperand(kind: .size(count), range: token.range.lowerBound..<passedEnd)
        }
        if beginsInverse {
            let inverse = try inverse()
            return ExpressionOperand(kind: .inverse(inverse), range: token.range.lowerBound..<passedEnd)
        }
        if let literal = literal(token) {
            _ = take()
            return ExpressionOperand(kind: .literal(literal), range: token.range)
        }
        guard case .name(let parts) = token.kind else { throw expected(isValue ? "a value or a field" : "a condition") }
        let field = try ExpressionField(
            parts, of: type, among: targets, behind: hopCount, in: source, isValue: isValue)
        _ = take()
        return ExpressionOperand(kind: .field(field), range: token.range)
    }

    /// Reads the field argument of a function. The function's name and the opening parenthesis have been read.
    package mutating func fieldInParentheses(_ function: String) throws(ExpressionError) -> ExpressionField {
        guard case .name(let parts) = current.kind else { throw expected("the field of \(function)") }
        let field = try ExpressionField(parts, of: type, among: targets, behind: hopCount, in: source)
        _ = take()
        guard skip(.close) else { throw expected(")") }
        return field
    }

    /// Returns the literal of a token; nil for other tokens.
    package func literal(_ token: ExpressionToken) -> ExpressionLiteral? {
        switch token.kind {
        case .text(let text): return .text(text)
        case .number(let text): return .number(text)
        default: break
        }
        switch token.word?.lowercased() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "inf": return .number("inf")
        case "nan": return .number("nan")
        default: return nil
        }
    }

    /// Returns the value of a literal for a field.
    package func value(
        _ literal: ExpressionLiteral, at range: Range<Int>, for field: ExpressionField
    ) throws(ExpressionError) -> DynamicValue {
        if literal == .null {
            guard field.mayBeNull else {
                throw source.error(at: range, "\(field.name.text) is \(field.type), which cannot be null")
            }
            return .none
        }
        try requireComparable(field, at: range)
        return try value(literal, at: range, as: field.valueType, subject: field.name.text)
    }

    /// Returns the value of a literal as a value of `type`; `subject` names its user in messages.
    package func value(
        _ literal: ExpressionLiteral, at range: Range<Int>, as type: FieldType, subject: String
    ) throws(ExpressionError) -> DynamicValue {
        if let value = literal.value(as: type) { return value }
        var remedy = ""
        if case .enumeration(let raw, let cases?) = type, case .text(let text) = literal,
            let nearest = NearestName.find(text, among: cases.names ?? (raw == .string ? cases.rawValues : []))
        {
            remedy = "; did you mean \(ExpressionSyntax.quoted(nearest, by: "\""))?"
        }
        throw source.error(
            at: range, "\(subject) takes \(type.literalDescription), found \(literal.description)\(remedy)")
    }

    /// Throws if values of the field have no order, which all comparisons need.
    package func requireComparable(_ field: ExpressionField, at range: Range<Int>) throws(ExpressionError) {
        guard !field.valueType.isIndexable else { return }
        let name = field.name.text
        let remedy =
            switch field.valueType {
            case .array, .set: "use contains, isEmpty or count(\(name))"
            case .dictionary: "use isEmpty or count(\(name))"
            case .embedded(let schema): "name one of its fields, such as \(name).\(schema.fields.first?.name ?? "")"
            default: field.mayBeNull ? "compare it with null" : "convert the field to another type"
            }
        throw source.error(at: range, "\(name) is \(field.type), which cannot be compared; \(remedy)")
    }
}
