import SwiftSyntax
import SwiftSyntaxMacros

/// Renders `==`, for a struct with a field whose type may not be `Equatable`.
///
/// The compiler would write the same function, but it reports such a type in the generated code, for the whole struct. Here, each
/// comparison has the location of its property, and so has the error.
struct EqualityRenderer {
    private let comparisons: [String]
    private let isDeprecated: Bool

    /// Nil for a struct whose fields are all known to be `Equatable`.
    init?(_ structure: ParsedStruct, in context: some MacroExpansionContext) {
        guard structure.properties.contains(where: \.mayLackEquality) else { return nil }
        comparisons = structure.properties.map { property in
            let name = property.identifier.text
            guard property.mayLackEquality,
                let place = context.location(of: property.binding, at: .afterLeadingTrivia, filePathMode: .filePath)
            else { return "guard left.\(name) == right.\(name) else { return false }" }
            return """
                #sourceLocation(file: \(place.file), line: \(place.line))
                guard ModelStore._isSame(left.\(name), right.\(name)) else { return false }
                #sourceLocation()
                """
        }
        isDeprecated = structure.properties.contains(where: \.isDeprecated)
    }

    func rendered(_ structure: StructDescription) -> String {
        """
        \(isDeprecated ? "@available(*, deprecated)\n" : "")\(structure.access.modifier)static func == (left: \(structure.typeName), right: \(structure.typeName)) -> Bool {
        \((comparisons + ["return true"]).joined(separator: "\n").indented)
        }
        """
    }
}

extension ParsedProperty {
    /// Whether the spelling of its type does not show that values can be compared.
    fileprivate var mayLackEquality: Bool {
        guard let type else { return false }
        let isReference = type.unwrappedOptional.isReference || type.collectionElement?.isReference == true
        return type.mayNameOthers && !isReference
    }
}
