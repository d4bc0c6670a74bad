import SwiftSyntax
import SwiftSyntaxBuilder

/// The memberwise initializer that the compiler would generate, with the transaction's time instead of `.now`.
struct MemberwiseInitializer {
    let properties: [ParsedProperty]
    /// The access level of an initializer for other modules; nil for that of Swift's own.
    var exported: Access?

    private var parameters: [ParsedProperty] { properties.memberwise }

    /// Otherwise the lowest access level of the properties, at most internal.
    private var access: String {
        if let exported { return exported.modifier }
        return switch parameters.map(\.access).min() {
        case .private: "private "
        case .fileprivate: "fileprivate "
        default: ""
        }
    }

    func rendered() -> DeclSyntax {
        let list = parameters.map(parameter).joined(separator: ",\n")
        let assignments = parameters.map { "self.\($0.identifier.text) = \($0.identifier.text)" }
        return """
            \(raw: access)init(
            \(raw: list.indented)
            ) {
            \(raw: assignments.joined(separator: "\n").indented)
            }
            """
    }

    private func parameter(_ property: ParsedProperty) -> String {
        let type = property.type?.trimmedDescription ?? ""
        let escaping = property.type?.isFunction == true ? "@escaping " : ""
        return "\(property.identifier.text): \(escaping)\(type)\(defaultArgument(property))"
    }

    private func defaultArgument(_ property: ParsedProperty) -> String {
        switch property.initialValue {
        case .none: ""
        case .null: " = nil"
        case .token(let token, _) where !property.isTransient: " = \(token.spelling)"
        case .constant(let value), .token(_, let value), .volatile(_, let value), .expression(let value): " = \(value)"
        }
    }
}

extension TypeSyntax {
    /// Whether a parameter of this type needs `@escaping` to be stored.
    fileprivate var isFunction: Bool {
        if self.is(FunctionTypeSyntax.self) { return true }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.isFunction }
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let element = tuple.elements.first {
            return element.type.isFunction
        }
        return false
    }
}
