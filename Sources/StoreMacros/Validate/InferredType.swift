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
        case .functionCallExpr(let call): return typeName(call.calledExpression)
        case .memberAccessExpr(let member): return member.base.flatMap(typeName)
        default: return nil
        }
    }

    /// Returns the name in `Status.active` and `Status(…)`, if it looks like the name of a type.
    private static func typeName(_ expression: ExprSyntax) -> String? {
        guard let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.text else { return nil }
        return name.first?.isUppercase == true ? name : nil
    }

    private static func single(_ types: [String?]) -> String? {
        guard let first = types.first, types.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
