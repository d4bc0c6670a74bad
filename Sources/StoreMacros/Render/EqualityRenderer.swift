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
        let places = structure.properties.map { SourcePlace($0, in: context) }
        guard places.contains(where: { $0 != nil }) else { return nil }
        comparisons = zip(structure.properties, places).map { property, place in
            let name = property.identifier.text
            return place?.located("guard ModelStore._isSame(left.\(name), right.\(name)) else { return false }")
                ?? "guard left.\(name) == right.\(name) else { return false }"
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
