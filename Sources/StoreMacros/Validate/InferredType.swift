import SwiftSyntax

/// The type that an initial value suggests, for the fix-it of a property without a type.
enum InferredType {
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
