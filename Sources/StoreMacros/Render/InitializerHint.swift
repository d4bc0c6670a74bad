import SwiftSyntax

/// Renders an unavailable initializer for other modules, for a public struct that declares none.
///
/// Other modules cannot use Swift's memberwise initializer. Without this hint they see only `init(from:)`, and the compiler would
/// report its missing argument.
struct InitializerHint {
    let properties: [ParsedProperty]
    let typeName: String
    let access: Access
    /// Whether the struct is nested in another type, whose names are not visible outside.
    let isNested: Bool

    func rendered() -> String {
        let level = access.modifier.filter { $0 != " " }
        let message = "'\(typeName)' has no \(level) initializer: declare one, as Swift's memberwise one is internal"
        // The last parameter distinguishes it from the memberwise initializer, which cannot be redeclared.
        let parameters = properties.memberwise.map(parameter) + ["_: Never? = nil"]
        return """
            @available(
                *, unavailable,
                message: \(message.quoted)
            )
            @_disfavoredOverload
            \(access.modifier)init(
            \(parameters.joined(separator: ",\n").indented)
            ) { self = ModelStore._noValue() }
            """
    }

    /// Returns a parameter. The type and the initial value of a property with a lower access level may not be visible.
    private func parameter(_ property: ParsedProperty) -> String {
        let name = property.identifier.text
        let isReached = property.access >= access && !(isNested && property.type?.mayNameOthers == true)
        let type = isReached ? property.type?.text(replacingSelfBy: typeName) : nil
        switch property.initialValue {
        case .none: return "\(name): \(type ?? "Any")"
        default: return "\(name): \(type.map { "\($0) = ModelStore._noValue()" } ?? "Any = ()")"
        }
    }
}

extension [ParsedProperty] {
    /// The properties that a memberwise initializer sets. A `let` with a value is already set.
    var memberwise: [ParsedProperty] { filter { !($0.isLet && $0.binding.initializer != nil) } }
}
