import SwiftSyntax

/// Renders what other modules find where they look for the initializer of a public struct that declares none.
///
/// Swift's memberwise initializer does not leave the module. Without this the only one to be seen outside is
/// `init(from:)`, and the compiler would ask for its argument.
struct InitializerHint {
    let properties: [ParsedProperty]
    let typeName: String
    let access: Access
    /// Whether the struct is inside of another type, whose names are out of reach.
    let isNested: Bool

    func rendered() -> String {
        let level = access.modifier.filter { $0 != " " }
        let message = "'\(typeName)' has no \(level) initializer: declare one, as Swift's memberwise one is internal"
        // The last parameter tells it from the memberwise initializer, which could not be declared again.
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

    /// A narrower property may have a type that is out of reach, and an initial value may name what is.
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
    /// Those that a memberwise initializer takes: a `let` with a value is set already.
    var memberwise: [ParsedProperty] { filter { !($0.isLet && $0.binding.initializer != nil) } }
}
