import SwiftSyntax

/// The initial value of a property, as far as the source shows it without type information.
enum InitialValue {
    /// Neither written nor implied.
    case none
    /// `nil`, written or implied by `var note: String?`.
    case null
    /// The same value in every process and at every time, so the catalog can contain it.
    case constant(ExprSyntax)
    /// A value that the transaction fills in when it inserts the record.
    case token(Token, ExprSyntax)
    /// The clock or a new identifier, evaluated where the record is created: always a mistake.
    case volatile(Token, ExprSyntax)
    /// Any other expression. It is a default in the catalog if it has the same value each time, which the source does not show.
    case expression(ExprSyntax)

    /// A value that the transaction provides.
    enum Token: String {
        /// The transaction's time.
        case now
        /// An identifier from the transaction's generator.
        case newID

        /// The spelling of the token in an initial value.
        var spelling: String {
            switch self {
            case .now: ".transactionTime"
            case .newID: ".newID"
            }
        }
    }

    init(_ expression: ExprSyntax?, type: TypeSyntax?, isImplicitlyNil: Bool) {
        guard let expression = expression?.trimmed else {
            self = isImplicitlyNil ? .null : .none
            return
        }
        let typeName = type?.unwrappedOptional.baseTypeName
        if expression.is(NilLiteralExprSyntax.self) {
            self = .null
        } else if let token = Self.token(expression, typeName: typeName) {
            self = .token(token, expression)
        } else if let token = Self.volatile(expression, typeName: typeName) {
            self = .volatile(token, expression)
        } else if expression.isConstant {
            self = .constant(expression)
        } else {
            self = .expression(expression)
        }
    }

    private static func token(_ expression: ExprSyntax, typeName: String?) -> Token? {
        guard let member = expression.as(MemberAccessExprSyntax.self) else { return nil }
        let base = member.base?.trimmedDescription
        switch member.declName.baseName.text {
        case "now" where base == nil && typeName == "Date": return .now
        case "transactionTime" where base == nil || base == "Date": return .now
        case "newID" where base == nil || base == "UUID": return .newID
        default: return nil
        }
    }

    private static func volatile(_ expression: ExprSyntax, typeName: String?) -> Token? {
        if let member = expression.as(MemberAccessExprSyntax.self) {
            let base = member.base?.trimmedDescription
            return member.declName.baseName.text == "now" && ["Date", "Foundation.Date"].contains(base) ? .now : nil
        }
        guard let call = expression.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
            call.trailingClosure == nil
        else { return nil }
        switch call.calledExpression.trimmedDescription {
        case "Date", "Date.init", "Foundation.Date": return .now
        case "UUID", "UUID.init", "Foundation.UUID": return .newID
        case ".init" where typeName == "Date": return .now
        case ".init" where typeName == "UUID": return .newID
        default: return nil
        }
    }
}

extension ExprSyntax {
    /// Whether this is a literal, or a single name such as `.active` or `Status.active`.
    fileprivate var isConstant: Bool {
        if isPlainLiteral { return true }
        guard let member = self.as(MemberAccessExprSyntax.self) else { return false }
        // `.now` of a type that may not be Date reads another clock.
        guard member.declName.baseName.text != "now" else { return false }
        guard let base = member.base else { return true }
        return base.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase == true
    }

    /// Whether this consists only of literals, so that it names no declaration that inlined code could not access.
    var isPlainLiteral: Bool {
        switch self.as(ExprSyntaxEnum.self) {
        case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr: return true
        case .stringLiteralExpr(let string): return string.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
        case .prefixOperatorExpr(let prefix):
            let number = prefix.expression
            return prefix.operator.text == "-"
                && (number.is(IntegerLiteralExprSyntax.self) || number.is(FloatLiteralExprSyntax.self))
        case .arrayExpr(let array): return array.elements.allSatisfy { $0.expression.isPlainLiteral }
        case .dictionaryExpr(let dictionary):
            guard let elements = dictionary.content.as(DictionaryElementListSyntax.self) else { return true }
            return elements.allSatisfy { $0.key.isPlainLiteral && $0.value.isPlainLiteral }
        default: return false
        }
    }
}
