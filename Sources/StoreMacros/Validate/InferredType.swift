import SwiftSyntax

import SwiftSyntaxBuilder

/// The type of a property whose declaration has none, from its initial value.
enum InferredType {
    /// Returns the type of a literal, as the compiler infers it; nil for any other expression, and for a literal whose parts have
    /// different types, or none.
    static func ofLiteral(_ expression: ExprSyntax?) -> TypeSyntax? {
        guard let expression, expression.isPlainLiteral || expression.is(StringLiteralExprSyntax.self) else {
            return nil
        }
        return text(of: expression).map { "\(raw: $0)" }
    }

    /// Returns the type that an expression suggests, for a fix-it.
    static func text(of expression: ExprSyntax?) -> String? {
        guard let expression else { return nil }
        switch expression.as(ExprSyntaxEnum.self) {
        case .integerLiteralExpr: return "Int"
        case .floatLiteralExpr: return "Double"
        case .stringLiteralExpr: return "String"
        case .booleanLiteralExpr: return "Bool"
        case .prefixOperatorExpr(let prefix): return text(of: prefix.expression)
        case .arrayExpr(let array):
            guard let element = single(array.elements.map { text(of: $0.expression) }) else { return nil }
            return "[\(element)]"
        case .dictionaryExpr(let dictionary):
            guard let elements = dictionary.content.as(DictionaryElementListSyntax.self),
                let key = single(elements.map { text(of: $0.key) }),
                let value = single(elements.map { text(of: $0.value) })
            else { return nil }
            return "[\(key): \(value)]"
        case .functionCallExpr(let call):
            return typeName(call.calledExpression) ?? collectionName(call.calledExpression)
        case .sequenceExpr(let sequence): return castType(Array(sequence.elements))
        case .memberAccessExpr(let member): return member.base.flatMap(typeName)
        default: return nil
        }
    }

    /// Returns the name in `Status.active`, `Status(…)`, `Sensor.Status(…)` and `Set<Int>(…)`, if it looks like the name of a
    /// type.
    private static func typeName(_ expression: ExprSyntax) -> String? {
        switch expression.as(ExprSyntaxEnum.self) {
        case .declReferenceExpr(let reference):
            let name = reference.baseName.text
            return name.first?.isUppercase == true ? name : nil
        case .memberAccessExpr(let member):
            guard let base = member.base.flatMap(typeName) else { return nil }
            if member.declName.baseName.tokenKind == .keyword(.`init`) { return base }
            return typeName(ExprSyntax(member.declName)).map { "\(base).\($0)" }
        case .genericSpecializationExpr(let generic):
            return typeName(generic.expression).map { "\($0)\(generic.genericArgumentClause.trimmedDescription)" }
        default: return nil
        }
    }

    /// Returns the type in `[Int]()` and `[String: Int]()`.
    private static func collectionName(_ expression: ExprSyntax) -> String? {
        switch expression.as(ExprSyntaxEnum.self) {
        case .arrayExpr(let array) where array.elements.count == 1:
            array.elements.first.flatMap { typeName($0.expression) }.map { "[\($0)]" }
        case .dictionaryExpr(let dictionary):
            if let elements = dictionary.content.as(DictionaryElementListSyntax.self), elements.count == 1,
                let element = elements.first, let key = typeName(element.key), let value = typeName(element.value)
            {
                "[\(key): \(value)]"
            } else {
                nil
            }
        default: nil
        }
    }

    /// Returns the type in `make() as Status`.
    private static func castType(_ parts: [ExprSyntax]) -> String? {
        guard parts.count == 3, let cast = parts[1].as(UnresolvedAsExprSyntax.self),
            cast.questionOrExclamationMark == nil
        else { return nil }
        return parts[2].as(TypeExprSyntax.self)?.trimmedDescription
    }

    private static func single(_ types: [String?]) -> String? {
        guard let first = types.first, types.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
